// SPDX-License-Identifier: Apache-2.0
// Quaternary fat trees: how many switches they have, what one of them costs, and why packets that
// keep their routes open do not wait for each other for ever.
#include "fabric/walk.hpp"
#include "papers/qsnet/experiments.hpp"
#include "papers/runner/burst.hpp"
#include "papers/runner/expected.hpp"
#include "plan/check/deadlock.hpp"
#include "plan/check/graph/certificate.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "plan/verify/verify_text.hpp"

namespace weft::papers::qsnet {
namespace {

Tables nca_tables(const Fabric& fabric) {
  Routed routed = route(fabric, "nca");
  invariant(std::holds_alternative<Tables>(routed), "nca refuses a tree");
  return std::get<Tables>(std::move(routed));
}

/// The time until the last flit of so much data from the first host has arrived at another.
Duration crossing(const QsnetStudy& study, const Fabric& fabric, const Tables& tables,
                  std::size_t to, std::int64_t bytes) {
  return run_burst({fabric, tables, study.cluster().model, Bytes{bytes}, {{HostId(0), HostId(to)}}})
      .time;
}

}  // namespace

Section fat_tree(const QsnetContext& context) {
  const QsnetStudy& study = context.study;
  Answers answers(context.stated, "fattree");
  const int most_certified = study.quick() ? 3 : 5;
  bool certified = true;
  for (int n = 1; n <= 6; ++n) {
    const Fabric fabric = make_fabric(fmt::format("tree:k=4,n={},speed=3.2Gb/s", n));
    answers.exact(fmt::format("n={}", n),
                  fmt::format("{} hosts, {} switches", fabric.host_count(), fabric.switch_count()));
    if (n > most_certified) continue;
    const Tables tables = nca_tables(fabric);
    const DeadlockVerdict verdict = deadlock(fabric, tables);
    const auto* certificate = std::get_if<Certificate>(&verdict);
    certified = certified && certificate != nullptr && !verify(fabric, tables, *certificate);
  }
  answers.claim("certificate", certified,
                fmt::format("found and verified for dimensions 1 to {}, with every choice that a "
                            "packet may make; a circuit waits as a packet does",
                            most_certified));
  const Fabric fabric = make_fabric("tree:k=4,n=3,speed=3.2Gb/s");
  const Tables tables = nca_tables(fabric);
  // Under the same Elite, and over five.
  const Duration near = crossing(study, fabric, tables, 1, 64),
                 far = crossing(study, fabric, tables, 63, 64),
                 longer = crossing(study, fabric, tables, 1, 64 + 4000);
  answers.number("flow-through", static_cast<double>((far - near).count()) / 1e3 / 4,
                 "a packet of 64 B over five switches against one over one");
  answers.number("link", 4000.0 / (static_cast<double>((longer - near).count()) / 1e6),
                 "4,000 B more over the same links");
  return {.id = "fattree", .about = {}, .answers = std::move(answers).done()};
}

}  // namespace weft::papers::qsnet
