// SPDX-License-Identifier: Apache-2.0
// Table XII: broadcasts of 512 B, with cut-through as the paper says and with store-and-forward.
#include <algorithm>

#include "papers/rhinet2/experiments.hpp"

namespace weft::papers::rhinet2 {
namespace {

const std::vector<std::string> broadcast_topologies{"mesh", "fat tree 14", "fat tree 6"};

Rhinet2Run broadcast(const std::string& topology, const char* order,
                     MachineVariant setting = MachineVariant::usual) {
  Rhinet2Run run{Quantity::broadcast, topology, topology == "mesh" ? "dl" : usual_engine(topology),
                 order, broadcast_size};
  run.setting = setting;
  return run;
}

/// The shares of the calibrated order are compared: with store-and-forward a hop of a long packet
/// costs more, which the calibration would take out again.
Sheet both_switchings(const Rhinet2Study& study, const std::vector<Stated>& stated) {
  Sheet sheet{
      "table12-switching",
      "us; deviations of the times as they are, and with the mesh's SHIO scaled to the paper",
      {"topology", "order", "paper", "cut-through", "deviation", "store-and-forward", "deviation",
       "scaled"}};
  const auto time = [&](const std::string& topology, const char* order, MachineVariant setting) {
    return study.average(broadcast(topology, order, setting)).mean;
  };
  const double scale = 52.95 / time("mesh", "shio", MachineVariant::store_and_forward);
  for (const std::string& topology : broadcast_topologies)
    for (const OrderName& order : order_names) {
      const std::string id = fmt::format("table12/{}/{}", topology, order.paper);
      const double paper = value_of(stated, id);
      const double cut = time(topology, order.ours, MachineVariant::usual);
      const double stored = time(topology, order.ours, MachineVariant::store_and_forward);
      sheet.rows.push_back({topology, order.paper, paper, cut, percent(cut / paper - 1), stored,
                            percent(stored / paper - 1), percent(stored * scale / paper - 1)});
    }
  return sheet;
}

Sheet broadcast_spreads(const Rhinet2Study& study) {
  constexpr std::array paper{6.78, 2.09, 8.95, 8.49, 0.92, 9.20};
  Sheet sheet{"table12-spread",
              "mesh: most - least over hosts, us; ours from the root's start",
              {"order", "paper", "ours"}};
  for (std::size_t i = 0; i < order_names.size(); ++i)
    sheet.rows.push_back({order_names[i].paper, paper[i],
                          study.average(broadcast("mesh", order_names[i].ours)).spread});
  return sheet;
}

}  // namespace

Rhinet2Runs table12_runs(const Rhinet2Study& study) {
  Rhinet2Runs out;
  for (const std::string& topology : broadcast_topologies)
    for (const OrderName& order : order_names)
      for (const MachineVariant setting :
           {MachineVariant::usual, MachineVariant::store_and_forward})
        out += study.drawn(broadcast(topology, order.ours, setting));
  return out;
}

Section table12(const Rhinet2Context& context) {
  const Rhinet2Study& study = context.study;
  Answers answers(context.stated, "table12");
  const auto time = [&](const std::string& topology, const char* order) {
    return study.average(broadcast(topology, order)).mean;
  };
  bool shio = true, contention = true, switches = true;
  std::string fastest;
  for (const std::string& topology : broadcast_topologies) {
    Largest least;
    for (const OrderName& order : order_names) {
      const Average ours = study.average(broadcast(topology, order.ours));
      const double stored =
          study.average(broadcast(topology, order.ours, MachineVariant::store_and_forward)).mean;
      answers.number(fmt::format("{}/{}", topology, order.paper), ours.mean,
                     joined(ours.describe(), fmt::format("store-and-forward: {:.1f}", stored)));
      least.add(-ours.mean, order.paper);
    }
    shio = shio && least.where == "SHIO";
    fastest += fmt::format("{}{}: {}", fastest.empty() ? "" : ", ", topology, least.where);
    for (const char* other : {"ro", "sco", "1sho-3ro", "hio"})
      contention = contention &&
                   time(topology, other) > std::max(time(topology, "sho"), time(topology, "shio"));
  }
  for (const OrderName& order : order_names)
    switches = switches && time("fat tree 14", order.ours) > time("fat tree 6", order.ours);
  answers.claim("shio", shio, fastest);
  answers.claim("contention", contention,
                "the paper's own fat tree of 14 switches has HIO at 38.46 and SHO at 39.06 us");
  answers.claim("switches", switches, "in every order, on average");
  Largest least;
  for (const OrderName& order : order_names)
    least.add(-study.average(broadcast("mesh", order.ours)).spread, order.paper);
  answers.claim("spread", least.where == "SHIO",
                fmt::format("{} has the least, {:.1f} us", least.where, -least.value));
  return {.id = "table12",
          .about = {},
          .sheets = {both_switchings(study, context.stated), broadcast_spreads(study)},
          .answers = std::move(answers).done()};
}

}  // namespace weft::papers::rhinet2
