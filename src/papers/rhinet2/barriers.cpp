// SPDX-License-Identifier: Apache-2.0
// Tables IX, X, XI and XIII and the statements on them: barriers by visiting order, routing and
// topology.
#include <algorithm>

#include "papers/rhinet2/experiments.hpp"

namespace weft::papers::rhinet2 {
namespace {

const std::vector<std::string> barrier_routings{"prefix", "updown", "dl", "sbp"};
/// Table XI, with the routing that the paper's topologies have.
const std::vector<std::string> small_topologies{"fat tree 6", "Clos 16", "Clos 32", "mesh 4x2"};
/// Table XIII, by number of hosts.
const std::vector<std::vector<std::string>> by_hosts{
    {"A", "B surrogate", "mesh", "torus"},
    {"ring 8", "mesh 4x2", "torus 4x2", "Clos 32"},
    {"fat tree 14", "fat tree 6", "Clos 16", "ring 4"}};

Rhinet2Run barrier(std::string topology, std::string engine, std::string order) {
  return {Quantity::barrier, std::move(topology), std::move(engine), std::move(order)};
}
Rhinet2Run spread(std::string topology, std::string engine, std::string order) {
  return {Quantity::spread, std::move(topology), std::move(engine), std::move(order)};
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

struct OrderClaim {
  bool holds = true;
  std::string because{};
};

/// The slowest of some orders against the fastest of others, for all routings.
OrderClaim come_in_order(const Rhinet2Study& study, const std::string& topology,
                         const std::vector<std::string>& engines) {
  OrderClaim out;
  for (const std::string& engine : engines) {
    const auto time = [&](const char* order) { return time_of(study, topology, engine, order); };
    const double left = std::min(time("ro"), time("1sho-3ro"));
    const double slow = std::max(time("sho"), time("sco")),
                 fast = std::min(time("sho"), time("sco"));
    const double numbered = std::max(time("shio"), time("hio"));
    out.holds = out.holds && left > slow && fast > numbered;
    out.because +=
        fmt::format("{}{} {}: {:.1f}, {:.1f} to {:.1f}, {:.1f} us", out.because.empty() ? "" : "; ",
                    topology, engine, left, fast, slow, numbered);
  }
  return out;
}

/// Most - least over hosts, as the paper prints it; ours enter at the same moment.
Sheet barrier_spreads(const Rhinet2Study& study) {
  constexpr std::array paper{2.10, 0.23, 2.07, 5.66, 0.15, 0.78};
  Sheet sheet{"table9-spread",
              "A, up*/down*: most - least over hosts, us; ours of a barrier that all enter at once",
              {"order", "paper", "ours"}};
  for (std::size_t i = 0; i < order_names.size(); ++i)
    sheet.rows.push_back({order_names[i].paper, paper[i],
                          study.average(spread("A", "updown", order_names[i].ours)).spread});
  return sheet;
}

}  // namespace

Rhinet2Runs table9_runs(const Rhinet2Study& study) {
  Rhinet2Runs out;
  for (const std::string& engine : barrier_routings) out += all_orders(study, "A", engine);
  for (const OrderName& order : order_names) out += study.drawn(spread("A", "updown", order.ours));
  return out;
}

Section table9(const Rhinet2Context& context) {
  Answers answers(context.stated, "table9");
  for (const std::string& engine : barrier_routings)
    answer_orders(context, answers, "A", engine, fmt::format("A/{}/", engine));
  const OrderClaim order = come_in_order(context.study, "A", {"updown", "dl", "sbp"});
  answers.claim("order", order.holds, order.because);
  Largest least;
  for (const OrderName& name : order_names)
    least.add(-context.study.average(spread("A", "updown", name.ours)).spread, name.paper);
  answers.claim("spread", least.where == "SHIO",
                fmt::format("{} has the least, {:.1f} us; the paper's are so small that its hosts "
                            "must wait for a send to end, which its averages do not bear out",
                            least.where, -least.value));
  return {.id = "table9",
          .about = {},
          .sheets = {barrier_spreads(context.study)},
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
  OrderClaim order;
  for (const char* topology : {"B surrogate", "mesh"}) {
    for (const std::string& engine : barrier_routings)
      answer_orders(context, answers, topology, engine, fmt::format("{}/{}/", topology, engine));
    const OrderClaim one = come_in_order(context.study, topology, {"updown", "dl", "sbp"});
    order.holds = order.holds && one.holds;
    order.because += (order.because.empty() ? "" : "; ") + one.because;
  }
  answers.claim("order", order.holds, order.because);
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
  OrderClaim order;
  for (const std::string& topology : small_topologies) {
    const std::string engine = usual_engine(topology);
    answer_orders(context, answers, topology, engine, topology + "/");
    const auto time = [&](const char* o) { return time_of(context.study, topology, engine, o); };
    const double left = std::min(time("ro"), time("1sho-3ro"));
    const double others = std::max({time("sho"), time("sco"), time("shio"), time("hio")});
    order.holds = order.holds && left > others;
    order.because += fmt::format("{}{}: {:.1f} and {:.1f} us", order.because.empty() ? "" : "; ",
                                 topology, left, others);
  }
  answers.claim("order", order.holds, order.because);
  return {.id = "table11", .about = {}, .answers = std::move(answers).done()};
}

Rhinet2Runs table13_runs(const Rhinet2Study& study) {
  Rhinet2Runs out;
  for (const auto& group : by_hosts)
    for (const std::string& topology : group)
      out += study.drawn(barrier(topology, usual_engine(topology), "ro"));
  return out;
}

Section table13(const Rhinet2Context& context) {
  Answers answers(context.stated, "table13");
  bool ordered = true;
  std::string because;
  for (const auto& group : by_hosts) {
    double before = 1e300;
    for (const std::string& topology : group) {
      const Average ours = context.study.average(barrier(topology, usual_engine(topology), "ro"));
      answers.number(topology, ours.mean, ours.describe());
      ordered = ordered && ours.mean < before;
      because += fmt::format("{}{} {:.2f}", because.empty() ? "" : ", ", topology, ours.mean);
      before = ours.mean;
    }
  }
  answers.claim("order", ordered, because);
  return {.id = "table13", .about = {}, .answers = std::move(answers).done()};
}

// Statements on all of them.

namespace {

struct RoutedTopology {
  std::string topology, engine;
};
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

Section claims(const Rhinet2Context& context) {
  Answers answers(context.stated, "claims");
  Largest sho, sco, routing, numerical;
  for (const auto& [topology, engine] : columns()) {
    // Captured by name: before clang 16, lambdas cannot capture structured bindings.
    const auto time = [&, &topology = topology](const std::string& on, const char* order) {
      return time_of(context.study, topology, on, order);
    };
    const std::string where = fmt::format("{}, {}", topology, engine);
    sho.add(time(engine, "ro") / time(engine, "sho") - 1, where);
    sco.add(time(engine, "sco") / time(engine, "sho") - 1, where);
    numerical.add(time(engine, "ro") / time(engine, "hio") - 1, where);
    if (engine != "prefix" && engine != "updown") continue;
    for (const OrderName& order : order_names)
      routing.add(time(engine, order.ours) / time("dl", order.ours) - 1,
                  fmt::format("{}, {}", where, order.paper));
  }
  answers.number("RO over SHO", 100 * sho.value, sho.where);
  answers.number("SCO over SHO", 100 * sco.value, sco.where);
  answers.number("routing", 100 * routing.value, routing.where);
  answers.number("numerical", 100 * numerical.value, numerical.where);
  return {.id = "claims", .about = {}, .answers = std::move(answers).done()};
}

}  // namespace weft::papers::rhinet2
