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
      {"topology", "order", "paper", "cut-through", "cut-through, %", "store-and-forward",
       "store-and-forward, %", "scaled, %"}};
  const auto time = [&](const std::string& topology, const char* order, MachineVariant setting) {
    return study.average(broadcast(topology, order, setting)).mean;
  };
  const double scale = value_of(stated, "table12/mesh/SHIO") /
                       time("mesh", "shio", MachineVariant::store_and_forward);
  for (const std::string& topology : broadcast_topologies)
    for (const OrderName& order : order_names) {
      const std::string id = fmt::format("table12/{}/{}", topology, order.paper);
      const double paper = value_of(stated, id);
      const double cut = time(topology, order.ours, MachineVariant::usual);
      const double stored = time(topology, order.ours, MachineVariant::store_and_forward);
      const auto deviation = [&](double ours) { return 100 * (ours / paper - 1); };
      sheet.rows.push_back({topology, order.paper, paper, cut, deviation(cut), stored,
                            deviation(stored), deviation(stored * scale)});
    }
  return sheet;
}

double together(const Rhinet2Study& study, const OrderName& order) {
  return study.average(broadcast("mesh", order.ours)).spread;
}
Rhinet2Run many_broadcasts(const OrderName& order) {
  Rhinet2Run run = broadcast("mesh", order.ours);
  run.what = Quantity::broadcasts_in_a_row;
  return run;
}
double in_a_row(const Rhinet2Study& study, const OrderName& order) {
  return study.average(many_broadcasts(order)).spread;
}

/// Max-Min by order, in both readings.
Sheet broadcast_spreads(const Rhinet2Context& context) {
  Sheet sheet{"table12-spread",
              "mesh: most - least over hosts, us; at once: from the root's start",
              {"order", "paper", "at once", "back to back"}};
  for (const OrderName& order : order_names)
    sheet.rows.push_back(
        {order.paper, value_of(context.stated, fmt::format("table12/mesh/spread/{}", order.paper)),
         together(context.study, order), in_a_row(context.study, order)});
  return sheet;
}

void answer_spreads(const Rhinet2Study& study, Answers& answers) {
  for (const OrderName& order : order_names)
    answers.number(fmt::format("mesh/spread/{}", order.paper), together(study, order),
                   back_to_back(in_a_row(study, order)));
  Largest least, least_in_a_row;
  for (const OrderName& order : order_names) {
    least.add(-together(study, order), order.paper);
    least_in_a_row.add(-in_a_row(study, order), order.paper);
  }
  answers.claim(
      "spread",
      judge_spreads([&](const OrderName& order) { return together(study, order); },
                    [&](const OrderName& order) { return in_a_row(study, order); }),
      fmt::format("from the root's start {} has the least, {:.1f} us, back to back {}, {:.3f} us",
                  least.where, -least.value, least_in_a_row.where, -least_in_a_row.value));
}

/// Orders against each other on each topology, and the two fat trees.
void judge_orders(const Rhinet2Context& context, Answers& answers) {
  const auto time = [&](const std::string& topology, const OrderName& order) {
    return context.study.average(broadcast(topology, order.ours)).mean;
  };
  const auto among = [](const OrderName& order, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), order.paper) != names.end();
  };
  Cases fastest, contention, switches;
  std::vector<std::string> first;
  for (const std::string& topology : broadcast_topologies) {
    Largest least;
    for (const OrderName& one : order_names) {
      least.add(-time(topology, one), one.paper);
      for (const OrderName& other : order_names) {
        const bool faster = time(topology, one) < time(topology, other);
        const std::string where = fmt::format("{} and {} on {}", one.paper, other.paper, topology);
        if (among(one, {"SHIO"}) && !among(other, {"SHIO"})) fastest.add(faster, where);
        if (among(one, {"SHO", "SHIO"}) && !among(other, {"SHO", "SHIO"}))
          contention.add(faster, where);
      }
    }
    first.push_back(fmt::format("{}: {}", topology, least.where));
  }
  for (const OrderName& order : order_names)
    switches.add(time("fat tree 14", order) > time("fat tree 6", order), order.paper);
  answers.claim("shio", fastest, fmt::format("{}", fmt::join(first, ", ")));
  const auto printed = [&](const char* order) {
    return value_of(context.stated, fmt::format("table12/fat tree 14/{}", order));
  };
  answers.claim("contention", contention,
                fmt::format("the paper's own fat tree of 14 switches has HIO at {:.2f} and SHO at "
                            "{:.2f} us",
                            printed("HIO"), printed("SHO")));
  answers.claim("switches", switches, "on average");
}

}  // namespace

Rhinet2Runs table12_runs(const Rhinet2Study& study) {
  Rhinet2Runs out;
  for (const std::string& topology : broadcast_topologies)
    for (const OrderName& order : order_names)
      for (const MachineVariant setting :
           {MachineVariant::usual, MachineVariant::store_and_forward})
        out += study.drawn(broadcast(topology, order.ours, setting));
  for (const OrderName& order : order_names) out += study.drawn(many_broadcasts(order));
  return out;
}

Section table12(const Rhinet2Context& context) {
  const Rhinet2Study& study = context.study;
  Answers answers(context.stated, "table12");
  for (const std::string& topology : broadcast_topologies)
    for (const OrderName& order : order_names) {
      const Average ours = study.average(broadcast(topology, order.ours));
      const double stored =
          study.average(broadcast(topology, order.ours, MachineVariant::store_and_forward)).mean;
      answers.number(fmt::format("{}/{}", topology, order.paper), ours.mean,
                     joined(ours.describe(), fmt::format("store-and-forward: {:.1f}", stored)));
    }
  answer_spreads(study, answers);
  judge_orders(context, answers);
  return {.id = "table12",
          .about = {},
          .notes = max_min_notes,
          .sheets = {both_switchings(study, context.stated), broadcast_spreads(context)},
          .answers = std::move(answers).done()};
}

}  // namespace weft::papers::rhinet2
