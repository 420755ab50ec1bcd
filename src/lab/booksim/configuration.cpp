// SPDX-License-Identifier: Apache-2.0
// Reads BookSim 2's configuration files; its parameters and their defaults are those of its head of
// June 2017.
#include "lab/booksim/configuration.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/suggestion.hpp"
#include "fabric/format/parsing/text.hpp"

namespace weft::booksim {
namespace {

constexpr auto translated = Meaning::translated;
constexpr auto only = Meaning::only;
constexpr auto output = Meaning::output;

constexpr std::array all_parameters{
    Parameter{"topology", "torus", translated},
    Parameter{"k", "8", translated},
    Parameter{"n", "2", translated},
    Parameter{"c", "1", translated},
    Parameter{"routing_function", "none", translated},
    Parameter{"network_file", "", translated},
    Parameter{"channel_file", "", only},
    Parameter{"subnets", "1", only},
    Parameter{"use_noc_latency", "1", translated},
    Parameter{"x", "8", output},
    Parameter{"y", "8", output},
    Parameter{"xr", "1", translated},
    Parameter{"yr", "1", translated},
    Parameter{"link_failures", "0", only},
    Parameter{"fail_seed", "0", output},
    Parameter{"in_ports", "5", output},
    Parameter{"out_ports", "5", output},
    Parameter{"router", "iq", only},
    Parameter{"output_delay", "0", only},
    Parameter{"credit_delay", "0", translated},
    Parameter{"internal_speedup", "1.0", translated},
    Parameter{"output_buffer_size", "-1", only},
    Parameter{"noq", "0", only},
    Parameter{"speculative", "0", only},
    Parameter{"spec_check_elig", "1", output},
    Parameter{"spec_check_cred", "1", output},
    Parameter{"spec_mask_by_reqs", "0", output},
    Parameter{"spec_sw_allocator", "prio", output},
    Parameter{"num_vcs", "16", translated},
    Parameter{"vc_buf_size", "8", translated},
    Parameter{"buf_size", "-1", only},
    Parameter{"buffer_policy", "private", only},
    Parameter{"private_bufs", "-1", only},
    Parameter{"private_buf_size", "1", output},
    Parameter{"private_buf_start_vc", "-1", output},
    Parameter{"private_buf_end_vc", "-1", output},
    Parameter{"max_held_slots", "-1", output},
    Parameter{"feedback_aging_scale", "1", output},
    Parameter{"feedback_offset", "0", output},
    Parameter{"wait_for_tail_credit", "0", translated},
    Parameter{"vc_busy_when_full", "0", translated},
    Parameter{"vc_prioritize_empty", "0", translated},
    Parameter{"vc_priority_donation", "0", only},
    Parameter{"vc_shuffle_requests", "0", translated},
    Parameter{"hold_switch_for_packet", "0", translated},
    Parameter{"input_speedup", "1", translated},
    Parameter{"output_speedup", "1", translated},
    Parameter{"routing_delay", "1", translated},
    Parameter{"vc_alloc_delay", "1", translated},
    Parameter{"sw_alloc_delay", "1", translated},
    Parameter{"st_prepare_delay", "0", translated},
    Parameter{"st_final_delay", "1", translated},
    Parameter{"vct", "0", output},
    Parameter{"vc_allocator", "islip", translated},
    Parameter{"sw_allocator", "islip", translated},
    Parameter{"arb_type", "round_robin", translated},
    Parameter{"alloc_iters", "1", translated},
    Parameter{"classes", "1", only},
    Parameter{"class_priority", "0", output},
    Parameter{"traffic", "uniform", translated},
    Parameter{"perm_seed", "0", translated},
    Parameter{"injection_rate", "0.1", translated},
    Parameter{"injection_rate_uses_flits", "0", translated},
    Parameter{"packet_size", "1", translated},
    Parameter{"packet_size_rate", "1", translated},
    Parameter{"injection_process", "bernoulli", translated},
    Parameter{"burst_alpha", "0.5", translated},
    Parameter{"burst_beta", "0.5", translated},
    Parameter{"burst_r1", "-1.0", translated},
    Parameter{"priority", "none", only},
    Parameter{"batch_size", "1000", output},
    Parameter{"batch_count", "1", output},
    Parameter{"max_outstanding_requests", "0", output},
    Parameter{"use_read_write", "0", only},
    Parameter{"write_fraction", "0.5", output},
    Parameter{"read_request_begin_vc", "0", output},
    Parameter{"read_request_end_vc", "5", output},
    Parameter{"write_request_begin_vc", "2", output},
    Parameter{"write_request_end_vc", "7", output},
    Parameter{"read_reply_begin_vc", "8", output},
    Parameter{"read_reply_end_vc", "13", output},
    Parameter{"write_reply_begin_vc", "10", output},
    Parameter{"write_reply_end_vc", "15", output},
    Parameter{"read_request_subnet", "0", output},
    Parameter{"read_reply_subnet", "0", output},
    Parameter{"write_request_subnet", "0", output},
    Parameter{"write_reply_subnet", "0", output},
    Parameter{"read_request_size", "1", output},
    Parameter{"write_request_size", "1", output},
    Parameter{"read_reply_size", "1", output},
    Parameter{"write_reply_size", "1", output},
    Parameter{"sim_type", "latency", translated},
    Parameter{"warmup_periods", "3", translated},
    Parameter{"sample_period", "1000", translated},
    Parameter{"max_samples", "10", output},
    Parameter{"measure_stats", "1", output},
    Parameter{"pair_stats", "0", output},
    Parameter{"latency_thres", "500.0", output},
    Parameter{"warmup_thres", "0.05", output},
    Parameter{"acc_warmup_thres", "0.05", output},
    Parameter{"stopping_thres", "0.05", output},
    Parameter{"acc_stopping_thres", "0.05", output},
    Parameter{"sim_count", "1", translated},
    Parameter{"include_queuing", "1", output},
    Parameter{"seed", "0", translated},
    Parameter{"print_activity", "0", output},
    Parameter{"print_csv_results", "0", output},
    Parameter{"deadlock_warn_timeout", "256", output},
    Parameter{"viewer_trace", "0", output},
    Parameter{"watch_file", "", output},
    Parameter{"watch_flits", "", output},
    Parameter{"watch_packets", "", output},
    Parameter{"watch_transactions", "", output},
    Parameter{"watch_out", "", output},
    Parameter{"stats_out", "", output},
    Parameter{"injected_flits_out", "", output},
    Parameter{"received_flits_out", "", output},
    Parameter{"stored_flits_out", "", output},
    Parameter{"sent_flits_out", "", output},
    Parameter{"outstanding_credits_out", "", output},
    Parameter{"ejected_flits_out", "", output},
    Parameter{"active_packets_out", "", output},
    Parameter{"used_credits_out", "", output},
    Parameter{"free_credits_out", "", output},
    Parameter{"max_credits_out", "", output},
    Parameter{"sent_packets_out", "", output},
    Parameter{"sim_power", "0", output},
    Parameter{"power_output_file", "pwr_tmp", output},
    Parameter{"tech_file", "", output},
    Parameter{"channel_width", "128", output},
    Parameter{"channel_sweep", "0", output},
};

/// Takes statements off the text.
class Statements {
 public:
  explicit Statements(const Source& source) : source_(source), rest_(source.text) {}

  /// False at the end.
  bool next(std::string& key, std::string& value, std::size_t& line) {
    key = trimmed_until('=');
    line = begin_;
    if (ended_) {
      if (!key.empty()) fail(source_, line, "\"{}\" has no value; write key = value;", shown(key));
      return false;
    }
    value = trimmed_until(';');
    if (ended_ || value.find('=') != std::string::npos)
      fail(source_, line, "a semicolon is missing behind {}", shown(key));
    if (key.empty() || value.empty())
      fail(source_, line, "\"{} = {}\": write key = value;", shown(key), shown(value));
    return true;
  }

 private:
  /// Without comments and white space; notes the line where it begins.
  std::string trimmed_until(char end) {
    std::string out;
    begin_ = line_;
    while (!rest_.empty()) {
      if (rest_.starts_with("//")) {
        rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
        continue;
      }
      const char letter = rest_.front();
      rest_.remove_prefix(1);
      if (letter == end && out.empty()) begin_ = line_;
      if (letter == end) return out;
      if (letter == '\n') ++line_;
      if (is_space(letter) || letter == '\n' || letter == '\r') continue;
      if (out.empty()) begin_ = line_;
      out += letter;
    }
    ended_ = true;
    return out;
  }

  const Source& source_;
  std::string_view rest_;
  std::size_t line_ = 1, begin_ = 1;
  bool ended_ = false;
};

}  // namespace

std::optional<double> real_from(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || rest != end) return std::nullopt;
  return value;
}

std::span<const Parameter> parameters() { return all_parameters; }

Configuration::Configuration(const Source& source) : source_(source) {
  for (const Parameter& each : all_parameters) defaults_.emplace(each.name, each.otherwise);
  Statements statements(source);
  std::string key, value;
  std::size_t line = 1;
  while (statements.next(key, value, line)) {
    if (!defaults_.contains(key)) {
      std::vector<std::string_view> names;
      for (const Parameter& each : all_parameters) names.push_back(each.name);
      fail(source, line, "BookSim 2 has no parameter \"{}\"{}", shown(key), suggestion(key, names));
    }
    given_[key] = {value, line};
  }
}

const std::string& Configuration::text(std::string_view key) const {
  if (const auto given = given_.find(std::string(key)); given != given_.end())
    return given->second.value;
  const auto found = defaults_.find(key);
  invariant(found != defaults_.end(), "a parameter that is not in the list");
  return found->second;
}

std::size_t Configuration::line(std::string_view key) const {
  const auto given = given_.find(std::string(key));
  return given == given_.end() ? 1 : given->second.line;
}

double Configuration::real(std::string_view key) const {
  const auto value = real_from(text(key));
  if (!value) fail(source_, line(key), "{} = {}: a number is needed", key, shown(text(key)));
  return *value;
}

long Configuration::whole(std::string_view key) const {
  const auto value = number_from<long>(text(key));
  constexpr long most = 1'000'000'000;
  if (!value || *value < 0 || *value > most)
    fail(source_, line(key), "{} = {}: a whole number up to {} is needed", key, shown(text(key)),
         most);
  return *value;
}

std::vector<std::string> Configuration::list(std::string_view key) const {
  return list_of(text(key));
}

std::vector<std::string> list_of(std::string_view rest) {
  if (rest.starts_with('{') && rest.ends_with('}')) rest = rest.substr(1, rest.size() - 2);
  std::vector<std::string> out;
  while (!rest.empty()) {
    out.emplace_back(rest.substr(0, rest.find(',')));
    rest.remove_prefix(std::min(out.back().size() + 1, rest.size()));
  }
  return out;
}

}  // namespace weft::booksim
