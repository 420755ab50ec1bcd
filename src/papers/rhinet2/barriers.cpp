// SPDX-License-Identifier: Apache-2.0
// Tables IX, X, XI and XIII and the statements on them: barriers by visiting order, routing and
// topology.
#include <algorithm>
#include <cmath>

#include "papers/rhinet2/experiments.hpp"
#include "plan/check/survey.hpp"

namespace weft::papers::rhinet2 {
namespace {

const std::vector<std::string> barrier_routings{"prefix", "updown", "dl", "sbp"};
/// Table XI, with the routing that the paper's topologies have.
const std::vector<std::string> small_topologies{"fat tree 6", "Clos 16", "Clos 32", "mesh 4x2"};
/// Table XIII, by number of hosts.
const std::vector<std::vector<std::string>> by_hosts{
    {"A", "B surrogate", "mesh", "torus"},
    {"ring 8", "mesh 4x2", "torus 4x2", "Clos 32"},
    {"ring 4", "fat tree 14", "fat tree 6", "Clos 16"}};

struct RoutedTopology {
  std::string topology, engine;
  std::string describe() const { return fmt::format("{} {}", topology, engine); }
};

Rhinet2Run barrier(std::string topology, std::string engine, std::string order) {
  return {Quantity::barrier, std::move(topology), std::move(engine), std::move(order)};
}

Rhinet2Runs all_orders(const Rhinet2Study& study, const std::string& topology,
                       const std::string& engine) {
  Rhinet2Runs out;
  for (const OrderName& order : order_names)
    out += study.drawn(barrier(topology, engine, order.ours));
  return out;
}

double time_of(const Rhinet2Study& study, const std::string& topology, const std::string& engine,
               const std::string& order) {
  return study.average(barrier(topology, engine, order)).mean;
}

/// With the routing of the paper's section on topologies.
double random_time(const Rhinet2Study& study, const std::string& topology) {
  return time_of(study, topology, usual_engine(topology), "ro");
}

/// Answers "topology/engine/order" for all orders.
void answer_orders(const Rhinet2Context& context, Answers& answers, const std::string& topology,
                   const std::string& engine, const std::string& prefix) {
  for (const OrderName& order : order_names) {
    const Average ours = context.study.average(barrier(topology, engine, order.ours));
    const bool guessed = engine == "prefix";
    answers.number(prefix + order.paper, ours.mean,
                   guessed ? joined(ours.describe(), our_prefix) : ours.describe());
  }
}

/// Whether each of some orders takes longer than each of others.
void judge_slower(const Rhinet2Study& study, Cases& cases, const RoutedTopology& on,
                  const std::vector<OrderName>& slow, const std::vector<OrderName>& fast) {
  for (const OrderName& more : slow)
    for (const OrderName& less : fast)
      cases.add(time_of(study, on.topology, on.engine, more.ours) >
                    time_of(study, on.topology, on.engine, less.ours),
                fmt::format("{} over {} on {}", more.paper, less.paper, on.describe()));
}

constexpr OrderName ro = order_names[0], sho = order_names[1], sco = order_names[2],
                    leaving = order_names[3], shio = order_names[4], hio = order_names[5];

/// Random orders that leave switches, those that do not, and numerical ones, the slowest first.
void judge_order(const Rhinet2Study& study, Answers& answers,
                 const std::vector<std::string>& topologies) {
  Cases order;
  std::string because;
  for (const std::string& topology : topologies)
    for (const std::string& engine : barrier_routings) {
      judge_slower(study, order, {topology, engine}, {ro, leaving}, {sho, sco});
      judge_slower(study, order, {topology, engine}, {sho, sco}, {shio, hio});
      const auto time = [&](const OrderName& one) {
        return time_of(study, topology, engine, one.ours);
      };
      const auto [fast, slow] = std::minmax({time(sho), time(sco)});
      because += fmt::format(
          "{}{} {}: {:.1f}, {:.1f} to {:.1f}, {:.1f} us", because.empty() ? "" : "; ", topology,
          engine, std::min(time(ro), time(leaving)), fast, slow, std::max(time(shio), time(hio)));
    }
  answers.claim("order", order, because);
}

double max_min(const Rhinet2Study& study, Quantity reading, const OrderName& order) {
  return study.average({reading, "A", "updown", order.ours}).spread;
}

/// Max-Min by order, in both readings.
Sheet barrier_spreads(const Rhinet2Context& context) {
  Sheet sheet{"table9-spread",
              "A, up*/down*: most - least over hosts, us",
              {"order", "paper", "all enter at once", "back to back"}};
  for (const OrderName& order : order_names)
    sheet.rows.push_back(
        {order.paper,
         value_of(context.stated, fmt::format("table9/A/updown/spread/{}", order.paper)),
         max_min(context.study, Quantity::spread, order),
         max_min(context.study, Quantity::barriers_in_a_row, order)});
  return sheet;
}

}  // namespace

std::string back_to_back(double microseconds) {
  return fmt::format(
      "back to back: {:.3f} us; when all enter at once, hosts leave as the release "
      "reaches them",
      microseconds);
}

Cases judge_spreads(const MaxMin& together, const MaxMin& in_a_row) {
  Cases least;
  for (const OrderName& order : order_names) {
    if (order.paper == shio.paper) continue;
    least.add(together(shio) < together(order), fmt::format("{} at once", order.paper));
    least.add(in_a_row(shio) < in_a_row(order), fmt::format("{} back to back", order.paper));
  }
  return least;
}

Rhinet2Runs table9_runs(const Rhinet2Study& study) {
  Rhinet2Runs out;
  for (const std::string& engine : barrier_routings) out += all_orders(study, "A", engine);
  for (const OrderName& order : order_names)
    for (const Quantity reading : {Quantity::spread, Quantity::barriers_in_a_row})
      out += study.drawn({reading, "A", "updown", order.ours});
  return out;
}

Section table9(const Rhinet2Context& context) {
  Answers answers(context.stated, "table9");
  for (const std::string& engine : barrier_routings)
    answer_orders(context, answers, "A", engine, fmt::format("A/{}/", engine));
  judge_order(context.study, answers, {"A"});
  const auto together = [&](const OrderName& order) {
    return max_min(context.study, Quantity::spread, order);
  };
  const auto in_a_row = [&](const OrderName& order) {
    return max_min(context.study, Quantity::barriers_in_a_row, order);
  };
  for (const OrderName& order : order_names)
    answers.number(fmt::format("A/updown/spread/{}", order.paper), together(order),
                   back_to_back(in_a_row(order)));
  answers.claim("spread", judge_spreads(together, in_a_row),
                fmt::format("SHIO: {:.2f} us when all enter at once, {:.3f} back to back, SHO: "
                            "{:.2f} and {:.3f}; the paper's are so small that its hosts must wait "
                            "for a send to end, which its averages do not bear out",
                            together(shio), in_a_row(shio), together(sho), in_a_row(sho)));
  return {.id = "table9",
          .about = {},
          .notes = max_min_notes,
          .sheets = {barrier_spreads(context)},
          .answers = std::move(answers).done()};
}

Rhinet2Runs table10_runs(const Rhinet2Study& study) {
  Rhinet2Runs out;
  for (const char* topology : {"B surrogate", "mesh"})
    for (const std::string& engine : barrier_routings) out += all_orders(study, topology, engine);
  return out;
}

Section table10(const Rhinet2Context& context) {
  Answers answers(context.stated, "table10");
  for (const char* topology : {"B surrogate", "mesh"})
    for (const std::string& engine : barrier_routings)
      answer_orders(context, answers, topology, engine, fmt::format("{}/{}/", topology, engine));
  judge_order(context.study, answers, {"B surrogate", "mesh"});
  return {.id = "table10", .about = {}, .answers = std::move(answers).done()};
}

Rhinet2Runs table11_runs(const Rhinet2Study& study) {
  Rhinet2Runs out;
  for (const std::string& topology : small_topologies)
    out += all_orders(study, topology, usual_engine(topology));
  return out;
}

Section table11(const Rhinet2Context& context) {
  Answers answers(context.stated, "table11");
  Cases order;
  std::string because;
  for (const std::string& topology : small_topologies) {
    const std::string engine = usual_engine(topology);
    answer_orders(context, answers, topology, engine, topology + "/");
    judge_slower(context.study, order, {topology, engine}, {ro, leaving}, {sho, sco, shio, hio});
    const auto time = [&](const OrderName& one) {
      return time_of(context.study, topology, engine, one.ours);
    };
    because += fmt::format("{}{}: {:.1f} and {:.1f} us", because.empty() ? "" : "; ", topology,
                           std::min(time(ro), time(leaving)),
                           std::max({time(sho), time(sco), time(shio), time(hio)}));
  }
  answers.claim("order", order, because);
  return {.id = "table11", .about = {}, .answers = std::move(answers).done()};
}

Rhinet2Runs table13_runs(const Rhinet2Study& study) {
  Rhinet2Runs out;
  for (const auto& group : by_hosts)
    for (const std::string& topology : group)
      out += study.drawn(barrier(topology, usual_engine(topology), "ro"));
  return out;
}

namespace {

/// Neighbours in a column differ as the printed numbers do.
void judge_printed_order(const Rhinet2Context& context, Answers& answers) {
  Cases as_printed;
  std::vector<std::string> times;
  for (const auto& column : by_hosts)
    for (std::size_t i = 0; i < column.size(); ++i) {
      times.push_back(fmt::format("{} {:.2f}", column[i], random_time(context.study, column[i])));
      if (i == 0) continue;
      const auto printed = [&](const std::string& topology) {
        return value_of(context.stated, "table13/" + topology);
      };
      const bool slower = printed(column[i - 1]) > printed(column[i]);
      const double before = random_time(context.study, column[i - 1]),
                   after = random_time(context.study, column[i]);
      as_printed.add(slower ? before > after : before < after,
                     fmt::format("{} and {}", column[i - 1], column[i]));
    }
  answers.claim("order", as_printed, fmt::format("{}", fmt::join(times, ", ")));
}

/// Of two topologies with as many hosts that with the smaller average distance is faster.
void judge_distance(const Rhinet2Study& study, Answers& answers) {
  const auto hops = [&](const std::string& topology) {
    const Machine& machine = study.machine(topology, usual_engine(topology));
    return survey(machine.fabric(), machine.tables()).mean_hops();
  };
  Cases shorter;
  std::vector<std::string> distances;
  for (const auto& column : by_hosts)
    for (const std::string& one : column) {
      distances.push_back(fmt::format("{} {:.2f}", one, hops(one)));
      for (const std::string& other : column)
        if (hops(one) < hops(other))
          shorter.add(random_time(study, one) < random_time(study, other),
                      fmt::format("{} and {}", one, other));
    }
  answers.claim("distance", shorter, fmt::format("hops: {}", fmt::join(distances, ", ")));
}

}  // namespace

Section table13(const Rhinet2Context& context) {
  const Rhinet2Study& study = context.study;
  Answers answers(context.stated, "table13");
  for (const auto& column : by_hosts)
    for (const std::string& topology : column) {
      const Average ours = study.average(barrier(topology, usual_engine(topology), "ro"));
      answers.number(topology, ours.mean, ours.describe());
    }
  judge_printed_order(context, answers);
  judge_distance(study, answers);
  const auto time = [&](const char* topology) { return random_time(study, topology); };
  const auto printed = [&](const char* topology) {
    return value_of(context.stated, fmt::format("table13/{}", topology));
  };
  answers.claim("fat trees", time("fat tree 6") < time("fat tree 14"),
                fmt::format("{:.2f} and {:.2f} us", time("fat tree 6"), time("fat tree 14")));
  Cases links;
  links.add(time("ring 8") < time("mesh 4x2"), "ring 8 and mesh 4x2");
  links.add(time("Clos 16") < time("fat tree 6"), "Clos 16 and fat tree 6");
  answers.claim("links", links,
                fmt::format("{:.2f} and {:.2f}, {:.2f} and {:.2f} us; the paper's own ring takes "
                            "{:.2f} and its mesh {:.2f} us, and their average distances differ; "
                            "Clos and fat tree have as many hops, and without contention the same "
                            "time",
                            time("ring 8"), time("mesh 4x2"), time("Clos 16"), time("fat tree 6"),
                            printed("ring 8"), printed("mesh 4x2")));
  return {.id = "table13", .about = {}, .answers = std::move(answers).done()};
}

// Statements on all of them.

namespace {

std::vector<RoutedTopology> columns() {
  std::vector<RoutedTopology> out;
  for (const char* topology : {"A", "B surrogate", "mesh"})
    for (const std::string& engine : barrier_routings) out.push_back({topology, engine});
  for (const std::string& topology : small_topologies)
    out.push_back({topology, usual_engine(topology)});
  return out;
}

}  // namespace

Rhinet2Runs claims_runs(const Rhinet2Study& study) {
  Rhinet2Runs out;
  for (const RoutedTopology& column : columns())
    out += all_orders(study, column.topology, column.engine);
  return out;
}

namespace {

/// RO and 1SHO-3RO in every column of tables IX to XI.
void judge_alike(const Rhinet2Study& study, Answers& answers) {
  Cases alike;
  Largest apart;
  for (const RoutedTopology& column : columns()) {
    const auto time = [&](const OrderName& order) {
      return time_of(study, column.topology, column.engine, order.ours);
    };
    const double difference = std::abs(time(leaving) / time(ro) - 1);
    apart.add(difference, column.describe());
    alike.add(difference < small, column.describe());
  }
  answers.claim(
      "alike", alike,
      fmt::format("they differ by {:.1f} % at most ({})", 100 * apart.value, apart.where));
}

/// Of two networks of 32 hosts the one with the smaller diameter, in every order.
void judge_diameter(const Rhinet2Context& context, Answers& answers) {
  Cases smaller;
  for (const OrderName& order : order_names)
    smaller.add(time_of(context.study, "Clos 32", "minimal", order.ours) <
                    time_of(context.study, "mesh 4x2", "sbp", order.ours),
                order.paper);
  const auto printed = [&](const char* topology) {
    return value_of(context.stated, fmt::format("table11/{}/SHIO", topology));
  };
  answers.claim("diameter", smaller,
                fmt::format("Clos 32 (3 hops) and mesh 4x2 (5); the paper's own take {:.2f} and "
                            "{:.2f} us with SHIO",
                            printed("Clos 32"), printed("mesh 4x2")));
}

}  // namespace

namespace {

/// Where a case is one of prefix routing, that is why it may be off.
std::string with_prefix_noted(const std::string& where) {
  return where.find("prefix") == std::string::npos ? where : joined(where, our_prefix);
}

}  // namespace

Section claims(const Rhinet2Context& context) {
  const Rhinet2Study& study = context.study;
  Answers answers(context.stated, "claims");
  Largest over_sho, left, contended, routing, numerical;
  for (const RoutedTopology& column : columns()) {
    const auto time = [&](const std::string& on, const OrderName& order) {
      return time_of(study, column.topology, on, order.ours);
    };
    const std::string& engine = column.engine;
    const std::string where = column.describe();
    over_sho.add(time(engine, ro) / time(engine, sho) - 1, where);
    left.add(time(engine, leaving) / time(engine, sho) - 1, where);
    contended.add(time(engine, sco) / time(engine, sho) - 1, where);
    numerical.add(time(engine, ro) / time(engine, hio) - 1, where);
    if (engine != "prefix" && engine != "updown") continue;
    for (const OrderName& order : order_names)
      routing.add(time(engine, order) / time("dl", order) - 1,
                  fmt::format("{} {}", where, order.paper));
  }
  answers.number("RO over SHO", 100 * over_sho.value, with_prefix_noted(over_sho.where));
  answers.number("1SHO-3RO over SHO", 100 * left.value, with_prefix_noted(left.where));
  answers.number("SCO over SHO", 100 * contended.value, with_prefix_noted(contended.where));
  answers.number("routing", 100 * routing.value, with_prefix_noted(routing.where));
  answers.number("numerical", 100 * numerical.value, with_prefix_noted(numerical.where));
  judge_alike(study, answers);
  judge_diameter(context, answers);
  return {.id = "claims", .about = {}, .answers = std::move(answers).done()};
}

}  // namespace weft::papers::rhinet2
