// SPDX-License-Identifier: Apache-2.0
// Reads traces.
#include "sim/workload/trace.hpp"

#include <algorithm>
#include <array>

#include "fabric/format/parsing/text.hpp"
#include "sim/host_names.hpp"

namespace weft::sim {
namespace {

constexpr std::uint64_t longest_message = std::uint64_t{1} << 24;  ///< flits
constexpr Cycle last_cycle = Cycle{1} << 60;

class TraceReader {
 public:
  TraceReader(const Source& source, const Fabric& fabric, const TraceUnits& units)
      : source_(source), fabric_(fabric), units_(units) {}

  Trace read() {
    require_text(source_);
    Trace out;
    for (Lines lines(source_.text); lines.next();) {
      line_ = lines.number;
      const std::string_view text = trimmed(lines.text);
      if (text.empty() || text.front() == '#') continue;
      if (out.empty() && is_heading(text)) continue;
      out.push_back(message(text));
    }
    return out;
  }

 private:
  /// "source,destination,size,time", in whatever words: sizes and times have digits.
  static bool is_heading(std::string_view text) {
    const std::size_t size = text.find(',', text.find(',') + 1);
    return size < text.size() && text.find_first_of("0123456789", size) == std::string_view::npos;
  }

  TraceMessage message(std::string_view rest) {
    std::array<std::string_view, 4> field;
    for (std::size_t i = 0; i < field.size(); ++i) field[i] = take_field(rest, i + 1 < 4);
    TraceMessage out;
    try {
      out.from = host_from(fabric_, field[0]);
      if (!find_group(field[1], out)) out.to = host_from(fabric_, field[1]);
    } catch (const Error& error) {
      fail(source_, line_, "{}", error.what());
    }
    out.flits = size_from(field[2]);
    out.at = time_from(field[3]);
    return out;
  }

  /// Whether the destination is a multicast group; then the sender has to be one of its senders.
  bool find_group(std::string_view name, TraceMessage& out) const {
    const auto found = std::find_if(units_.groups.begin(), units_.groups.end(),
                                    [&](const Group& group) { return group.name == name; });
    if (found == units_.groups.end()) return false;
    const auto& members = found->members;
    const bool member = std::find(members.begin(), members.end(), out.from) != members.end();
    if (found->source ? *found->source != out.from : !member)
      throw Error(
          "{} does not send to the group \"{}\"; {}", fabric_[out.from].name, found->name,
          found->source ? "only " + fabric_[*found->source].name + " does" : "only its members do");
    out.group = static_cast<std::uint32_t>(found - units_.groups.begin());
    out.receivers = static_cast<std::uint32_t>(members.size() - (member ? 1 : 0));
    return true;
  }

  /// Up to the next comma, which has to follow when `more` do; or what double quotes enclose.
  std::string_view take_field(std::string_view& rest, bool more) {
    rest = trimmed(rest);
    std::string_view field;
    if (take_prefix(rest, "\"")) {
      const std::size_t quote = rest.find('"');
      if (quote == std::string_view::npos) fail(source_, line_, "a double quote is not closed");
      field = rest.substr(0, quote);
      rest = trimmed(rest.substr(quote + 1));
      if (!rest.empty() && rest.front() != ',') wrong_fields();
    } else {
      field = trimmed(rest.substr(0, rest.find(',')));
      rest.remove_prefix(std::min(rest.find(','), rest.size()));
    }
    if (take_prefix(rest, ",") != more) wrong_fields();
    return field;
  }
  [[noreturn]] void wrong_fields() const {
    fail(source_, line_, "a line has four fields: source,destination,size,time");
  }

  template <class Parse>
  auto with_unit(const char* what, std::string_view text, const char* right, Parse parse) const {
    try {
      return parse(text);
    } catch (const Error&) {
      fail(source_, line_, "{} \"{}\": write {}", what, shown(text), right);
    }
  }

  std::uint64_t size_from(std::string_view text) const {
    std::optional<std::uint64_t> flits = number_from<std::uint64_t>(text);
    if (!flits) {
      const Bytes size = with_unit("size", text, "flits (16), or bytes with a unit (4KiB)",
                                   [](std::string_view t) { return bytes_from(t); });
      const std::int64_t rest = size.count % units_.flit.count == 0 ? 0 : 1;
      flits = static_cast<std::uint64_t>(size.count / units_.flit.count + rest);
    }
    if (*flits < 1 || *flits > longest_message)
      fail(source_, line_,
           "size \"{}\": 1 to {} flits are possible; a longer one takes several lines", shown(text),
           longest_message);
    return *flits;
  }

  Cycle time_from(std::string_view text) const {
    std::optional<Cycle> at = number_from<Cycle>(text);
    if (!at) {
      const Duration time = with_unit("time", text, "cycles (1000), or a time with a unit (2.5us)",
                                      [](std::string_view t) { return duration_from(t); });
      at = static_cast<Cycle>(time.count() / units_.cycle.count());
    }
    if (*at > last_cycle)
      fail(source_, line_, "time \"{}\": later than cycle {}", shown(text), last_cycle);
    return *at;
  }

  const Source& source_;
  const Fabric& fabric_;
  TraceUnits units_;
  std::size_t line_ = 0;
};

}  // namespace

Trace read_trace(const Source& source, const Fabric& fabric, const TraceUnits& units) {
  return TraceReader(source, fabric, units).read();
}

}  // namespace weft::sim
