// SPDX-License-Identifier: Apache-2.0
// Reads traffic matrices, and draws destinations by them.
#include "sim/workload/traffic_matrix.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "fabric/format/parsing/text.hpp"
#include "sim/host_names.hpp"

namespace weft::sim {
namespace {

std::optional<double> real_from(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || rest != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// Entries before their numbers become whole.
struct RealEntry {
  HostId from, to;
  double value;
};

class MatrixReader {
 public:
  MatrixReader(const Source& source, const Fabric& fabric, const MatrixUnits& units)
      : source_(source), fabric_(fabric), units_(units) {
    if (!units.weights() && units.unit != "flits") unit_rate_ = bandwidth_of("1" + units.unit);
  }

  TrafficMatrix read() {
    require_text(source_);
    for (Lines lines(source_.text); lines.next();) {
      const std::string_view text = trimmed(lines.text);
      if (text.empty() || text.front() == '#') continue;
      line_ = lines.number;
      split(text);
      first_line_ ? begin() : go_on();
      first_line_ = false;
    }
    if (first_line_ || (heading_ && rows_ == 0))
      throw Error("{}: the matrix is empty", source_.name);
    if (!sparse_ && rows_ != columns_.size())
      throw Error("{}: {} rows for {} columns: a matrix has as many rows as columns", source_.name,
                  rows_, columns_.size());
    return scaled();
  }

 private:
  /// The fields of a line: between commas, or what double quotes enclose.
  void split(std::string_view rest) {
    fields_.clear();
    while (true) {
      rest = trimmed(rest);
      std::size_t end = 0;
      if (take_prefix(rest, "\"")) {
        const std::size_t quote = rest.find('"');
        if (quote == std::string_view::npos) fail(source_, line_, "a double quote is not closed");
        fields_.push_back(rest.substr(0, quote));
        rest = trimmed(rest.substr(quote + 1));
        if (!rest.empty() && rest.front() != ',')
          fail(source_, line_, "a comma is needed behind a double quote");
      } else {
        end = std::min(rest.find(','), rest.size());
        fields_.push_back(trimmed(rest.substr(0, end)));
        rest.remove_prefix(end);
      }
      if (!take_prefix(rest, ",")) return;
    }
  }

  /// The first line says what the file is.
  void begin() {
    const std::size_t hosts = fabric_.host_count();
    if (is_sparse_heading()) {
      sparse_ = true;
      return;
    }
    const bool fits = fields_.size() == hosts || fields_.size() == hosts + 1;
    const bool numbers = std::all_of(fields_.begin() + 1, fields_.end(),
                                     [&](std::string_view field) { return is_number(field); });
    if (fields_.size() == 3 && is_number(fields_[2]) && (!fits || !is_number(fields_[1]))) {
      sparse_ = true;
      return add_pair();
    }
    if (fields_[0].empty() || !numbers) return take_heading();
    if (!fits)
      fail(source_, line_,
           "{} fields; a row has one for each of the {} hosts (and its host's name before them), a "
           "sparse line has three: from,to,rate",
           fields_.size(), hosts);
    for (const HostId host : fabric_.hosts()) columns_.push_back(host);
    named_rows_ = fields_.size() == hosts + 1;
    add_row();
  }
  bool is_sparse_heading() const {
    const auto is_one_of = [](std::string_view field, std::initializer_list<const char*> words) {
      return std::find(words.begin(), words.end(), field) != words.end();
    };
    return fields_.size() == 3 && is_one_of(fields_[0], {"from", "source", "src", "sender"}) &&
           is_one_of(fields_[1], {"to", "destination", "dst", "dest", "receiver"});
  }
  void go_on() {
    if (sparse_) return add_pair();
    if (heading_ && rows_ == 0) settle_corner();
    add_row();
  }

  /// Names of hosts; whether the first field is one of them, or a corner, shows in the next line.
  void take_heading() {
    heading_ = true;
    heading_line_ = line_;
    for (const std::string_view field : fields_) names_.emplace_back(field);
  }
  void settle_corner() {
    const bool corner = fields_.size() == names_.size() && !is_column_count(fields_[0]);
    named_rows_ = corner || fields_.size() == names_.size() + 1;
    const std::size_t here = std::exchange(line_, heading_line_);
    for (std::size_t i = corner ? 1 : 0; i < names_.size(); ++i) {
      columns_.push_back(host_at(names_[i], i));
      if (std::find(columns_.begin(), columns_.end() - 1, columns_.back()) != columns_.end() - 1)
        fail(source_, line_, "column {}: host {} is there twice", i + 1,
             fabric_[columns_.back()].name);
    }
    line_ = here;
  }
  /// Without a corner, the first field of a row is a number; a corner is empty, or no host.
  bool is_column_count(std::string_view first) const {
    return is_number(first) && !names_[0].empty() && is_host(names_[0]);
  }
  bool is_host(std::string_view name) const {
    const auto number = number_from<std::uint64_t>(name);
    return fabric_.find_host(name).has_value() || (number && *number < fabric_.host_count());
  }

  void add_row() {
    const std::size_t before = named_rows_ ? 1 : 0;
    if (fields_.size() != columns_.size() + before)
      fail(source_, line_, "{} numbers; this matrix has {} columns", fields_.size() - before,
           columns_.size());
    if (rows_ == columns_.size())
      fail(source_, line_, "one row too many: the matrix has {} columns", columns_.size());
    const HostId from = named_rows_ ? host_at(fields_[0], 0) : columns_[rows_];
    require_new(from);
    for (std::size_t i = 0; i < columns_.size(); ++i)
      add(from, columns_[i], value_at(fields_[i + before], i + before));
    ++rows_;
  }
  void require_new(HostId from) {
    if (seen_.empty()) seen_.resize(fabric_.host_count());
    if (seen_[from.index()]) fail(source_, line_, "host {} has a row already", fabric_[from].name);
    seen_[from.index()] = true;
  }
  void add_pair() {
    if (fields_.size() != 3)
      fail(source_, line_, "{} fields; a line has three: from,to,rate", fields_.size());
    const HostId from = host_at(fields_[0], 0), to = host_at(fields_[1], 1);
    add(from, to, value_at(fields_[2], 2));
  }
  void add(HostId from, HostId to, double value) {
    if (value > 0) entries_.push_back({from, to, value});
  }

  HostId host_at(std::string_view name, std::size_t column) const {
    try {
      return host_from(fabric_, name);
    } catch (const Error& error) {
      fail(source_, line_, "column {}: {}", column + 1, error.what());
    }
  }
  bool is_number(std::string_view text) const {
    if (real_from(text) || text.empty()) return true;
    try {
      return bandwidth_from(text).bits_per_second >= 0;
    } catch (const Error&) {
      return false;
    }
  }
  /// A weight, or flits per cycle. An empty field is 0.
  double value_at(std::string_view text, std::size_t column) const {
    if (text.empty()) return 0;
    if (const auto number = real_from(text)) {
      if (*number < 0) fail(source_, line_, "column {}: {} is below 0", column + 1, shown(text));
      return unit_rate_ > 0 ? *number * unit_rate_ : *number;
    }
    if (text.front() == '-')
      fail(source_, line_, "column {}: \"{}\" is no number from 0 on", column + 1, shown(text));
    try {
      const double rate = bandwidth_of(text);
      if (!units_.weights()) return rate;
    } catch (const Error&) {
      fail(source_, line_, "column {}: \"{}\" is no number{}", column + 1, shown(text),
           units_.weights() ? "" : ", and no rate such as 2.5Gb/s");
    }
    fail(source_, line_,
         "column {}: \"{}\" is a rate, where the matrix has weights; with unit=Gb/s it has rates",
         column + 1, shown(text));
  }
  /// In flits per cycle.
  double bandwidth_of(std::string_view text) const {
    return static_cast<double>(bandwidth_from(text).bits_per_second) / 8 /
           static_cast<double>(units_.flit.count) *
           (static_cast<double>(units_.cycle.count()) / 1e12);
  }

  /// In whole numbers, those of a pair added up.
  TrafficMatrix scaled() {
    std::stable_sort(entries_.begin(), entries_.end(), [](const RealEntry& a, const RealEntry& b) {
      return a.from != b.from ? a.from < b.from : a.to < b.to;
    });
    std::vector<RealEntry> pairs;
    for (const RealEntry& entry : entries_) {
      if (!pairs.empty() && pairs.back().from == entry.from && pairs.back().to == entry.to)
        pairs.back().value += entry.value;
      else
        pairs.push_back(entry);
    }
    double largest = 0;
    for (const RealEntry& pair : pairs) largest = std::max(largest, pair.value);
    if (!std::isfinite(largest)) throw Error("{}: the sum of a pair is too large", source_.name);
    if (largest == 0) throw Error("{}: all numbers are 0: nobody sends anything", source_.name);
    TrafficMatrix out;
    if (!units_.weights()) out.flits_per_cycle = largest;
    for (const RealEntry& pair : pairs) {
      const double weight = pair.value / largest * static_cast<double>(largest_weight);
      out.entries.push_back(
          {pair.from, pair.to, std::max<std::uint64_t>(static_cast<std::uint64_t>(weight), 1)});
    }
    return out;
  }

  const Source& source_;
  const Fabric& fabric_;
  const MatrixUnits& units_;
  double unit_rate_ = 0;  ///< flits per cycle of a plain 1; 0: the number itself counts
  std::size_t line_ = 0, heading_line_ = 0;
  std::vector<std::string_view> fields_;
  bool first_line_ = true, sparse_ = false, heading_ = false, named_rows_ = false;
  std::vector<std::string> names_;  ///< of the heading
  std::vector<HostId> columns_;
  std::size_t rows_ = 0;
  std::vector<bool> seen_;  ///< by host: whether it has a row
  std::vector<RealEntry> entries_;
};

/// By host, the sum of its row.
IdVector<HostId, std::uint64_t> row_sums(const TrafficMatrix& matrix, std::size_t hosts) {
  IdVector<HostId, std::uint64_t> out(hosts, 0);
  for (const TrafficMatrix::Entry& entry : matrix.entries) out[entry.from] += entry.weight;
  return out;
}

class MatrixPattern : public Pattern {
 public:
  MatrixPattern(const TrafficMatrix& matrix, std::size_t hosts) : begin_(hosts + 1, 0) {
    for (const TrafficMatrix::Entry& entry : matrix.entries) ++begin_[entry.from.index() + 1];
    for (std::size_t i = 0; i < hosts; ++i) begin_[i + 1] += begin_[i];
    for (const TrafficMatrix::Entry& entry : matrix.entries) {
      const bool first = below_.size() == begin_[entry.from.index()];
      below_.push_back((first ? 0 : below_.back()) + entry.weight);
      to_.push_back(entry.to);
    }
  }
  HostId next(HostId from, Rng& rng) override {
    const auto row = below_.begin() + static_cast<std::ptrdiff_t>(begin_[from.index()]);
    const auto end = below_.begin() + static_cast<std::ptrdiff_t>(begin_[from.index() + 1]);
    if (row == end) return HostId::none();
    const std::uint64_t draw = draw_below(rng, *(end - 1));
    return to_[static_cast<std::size_t>(std::upper_bound(row, end, draw) - below_.begin())];
  }

 private:
  std::vector<std::size_t> begin_;    ///< by host: where its row begins
  std::vector<std::uint64_t> below_;  ///< sums along a row: draws under this go to `to_`
  std::vector<HostId> to_;
};

}  // namespace

TrafficMatrix read_matrix(const Source& source, const Fabric& fabric, const MatrixUnits& units) {
  return MatrixReader(source, fabric, units).read();
}

IdVector<HostId, Chance> loads_of(const TrafficMatrix& matrix, const Fabric& fabric, Chance load,
                                  double scale) {
  const IdVector<HostId, std::uint64_t> rows = row_sums(matrix, fabric.host_count());
  const std::uint64_t busiest = *std::max_element(rows.begin(), rows.end());
  const double unit = matrix.flits_per_cycle * scale / static_cast<double>(largest_weight);
  IdVector<HostId, Chance> out(rows.size());
  for (const HostId host : rows.ids()) {
    if (matrix.flits_per_cycle == 0) {
      out[host] = Chance(static_cast<std::uint64_t>(Wide{load.parts()} * rows[host] / busiest));
      continue;
    }
    const double flits = static_cast<double>(rows[host]) * unit;
    constexpr double rounding = 1e-9;
    if (flits > 1 + rounding)
      throw Error("host {} is to send {:.4g} flits per cycle; a host sends one at most",
                  fabric[host].name, flits);
    out[host] = Chance(static_cast<std::uint64_t>(std::min(flits, 1.0) * 0x1.0p63));
  }
  return out;
}

std::unique_ptr<Pattern> matrix_pattern(const TrafficMatrix& matrix, std::size_t hosts) {
  return std::make_unique<MatrixPattern>(matrix, hosts);
}

}  // namespace weft::sim
