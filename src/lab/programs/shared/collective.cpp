// SPDX-License-Identifier: Apache-2.0
// Chooses algorithms of collectives by name.
#include "lab/programs/shared/collective.hpp"

#include <algorithm>

#include "base/suggestion.hpp"
#include "lab/programs/shared/values.hpp"
#include "plan/mcast/mcast.hpp"

namespace weft {
namespace {

bool is_order(const std::string& name) {
  const auto rows = orders();
  return std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; });
}

void require_algorithm(const Params& params, const Collectives& among) {
  const std::string& algorithm = params.text("algorithm");
  const auto& names = among.names;
  if (is_order(algorithm) || std::find(names.begin(), names.end(), algorithm) != names.end())
    return;
  std::vector<std::string_view> order_names;
  for (const auto& row : orders()) order_names.push_back(row.name);
  std::vector<std::string_view> known(names.begin(), names.end());
  known.insert(known.end(), order_names.begin(), order_names.end());
  params.reject("algorithm", fmt::format("neither a {} ({}) nor an order ({}){}", among.kind,
                                         fmt::join(names, " "), fmt::join(order_names, " "),
                                         suggestion(algorithm, known)));
}

std::optional<comm::Rank> root_of(const Params& params, const ProgramSetting& setting) {
  if (params.is("root", "")) return std::nullopt;
  return rank_from(params, "root", setting);
}

/// The tables with a group of all hosts of the setting, the last of their groups.
Tables with_group(const ProgramSetting& setting, const std::string& scheme) {
  const Machine& machine = setting.machine;
  Tables out = machine.tables();
  const GroupRequest request{"everyone", setting.hosts};
  Grouped grouped = make_group({machine.fabric(), machine.tables(), request}, scheme);
  if (const auto* refused = std::get_if<Refused>(&grouped))
    throw RefusedError("{}: {}", scheme, refused->why);
  out.groups.push_back(std::get<Group>(std::move(grouped)));
  return out;
}

}  // namespace

Spec algorithm_spec(const Params& params, const std::string& name, const Collectives& among) {
  Spec out{name, {}};
  for (const std::string_view each : among.params)
    if (params.given(each)) out.values.emplace(each, params.text(each));
  return out;
}

std::vector<comm::ScheduledSend> rank_schedule(const ProgramSetting& setting,
                                               std::string_view order,
                                               std::optional<comm::Rank> root) {
  OrderRequest request{setting.hosts, {}, setting.seed};
  const int each = setting.ranks_per_host;
  if (root) request.root = setting.hosts[static_cast<std::size_t>(*root / each)];
  std::vector<comm::Rank> first(setting.machine.fabric().host_count());
  for (std::size_t i = 0; i < setting.hosts.size(); ++i)
    first[setting.hosts[i].index()] = static_cast<comm::Rank>(i) * each;
  // The root is the first of its host.
  if (root) first[request.root->index()] = *root;
  std::vector<comm::ScheduledSend> out;
  int last = 0;
  for (const Send& send : make_order(setting.machine.fabric(), order, request)) {
    out.push_back({send.step, first[send.from.index()], first[send.to.index()]});
    last = std::max(last, send.step);
  }
  for (const HostId host : setting.hosts) {
    const comm::Rank lead = first[host.index()], lowest = lead / each * each;
    const auto at = [&](int i) {
      return i == 0 ? lead : i <= lead - lowest ? lowest + i - 1 : lowest + i;
    };
    int step = last;
    for (int have = 1; have < each; have *= 2) {
      ++step;
      for (int i = 0; i < std::min(have, each - have); ++i)
        out.push_back({step, at(i), at(have + i)});
    }
  }
  return out;
}

ChosenCollective choose_collective(const Params& params, const ProgramSetting& setting,
                                   const Collectives& among) {
  const std::string& algorithm = params.text("algorithm");
  require_algorithm(params, among);
  ChosenCollective out;
  const Spec spec = algorithm_spec(params, is_order(algorithm) ? "schedule" : algorithm, among);
  out.collective.spec = spec.text();
  const auto root = root_of(params, setting);
  out.root = root.value_or(0);
  if (is_order(algorithm)) {
    out.collective.schedule = rank_schedule(setting, algorithm, root);
  } else if (algorithm == "schedule") {
    if (setting.schedule.empty() && setting.ranks() > 1)
      params.reject("algorithm", "a schedule has to be given; or name an order: weft list orders");
    out.collective.schedule.assign(setting.schedule.begin(), setting.schedule.end());
  }
  if (spec.name == "schedule")
    out.root = comm::check_schedule(out.collective.schedule, setting.ranks());
  if (algorithm == "hardware" && setting.hosts.size() > 1) {
    const std::string& scheme = params.text("scheme");
    const char* usual = setting.machine.nic.group_scheme;
    out.tables = with_group(setting, scheme.empty() ? usual : scheme);
    out.collective.group = static_cast<int>(out.tables->groups.size()) - 1;
  }
  return out;
}

}  // namespace weft
