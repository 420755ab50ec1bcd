// SPDX-License-Identifier: Apache-2.0
// weft order: visiting orders of multicast by unicast messages.
#include <memory>
#include <ostream>

#include "base/files.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/verbs.hpp"
#include "fabric/names.hpp"
#include "lab/report/report.hpp"
#include "plan/mcast/mcast.hpp"

namespace weft::cli {

Action add_order(Arguments& arguments) {
  struct OrderArguments {
    std::string fabric, order, root, out = "-";
    std::vector<std::string> hosts;
    std::uint64_t seed = 1;
    bool gather = false;
  };
  auto options = std::make_shared<OrderArguments>();
  arguments.required("fabric", options->fabric,
                     "fabric file, or a topology such as torus:dims=4x4");
  arguments.required("order", options->order, "one of weft list orders");
  arguments.option("--root HOST", options->root, "the host that has the data first");
  arguments.repeated("--hosts HOSTS", options->hosts,
                     "only these, with commas between them; all without it");
  arguments.option("--seed NUMBER", options->seed, "of random orders");
  arguments.flag("--gather", options->gather, "backwards: everyone's message to the root");
  arguments.option("-o,--output FILE", options->out, "file to write; - is standard output");
  return [options] {
    prepare_outputs({options->out}, {options->fabric});
    const Fabric fabric = find_fabric(options->fabric);
    OrderRequest request{hosts_named(fabric, options->hosts), {}, options->seed};
    if (request.hosts.empty())
      for (HostId h : fabric.hosts()) request.hosts.push_back(h);
    if (!options->root.empty()) request.root = host_called(fabric, options->root);
    auto sends = make_order(fabric, options->order, request);
    if (options->gather) sends = reversed(std::move(sends));
    write_file(options->out, [&](std::ostream& out) {
      out << "step,from,to\n";
      for (const Send& send : sends)
        out << fmt::format("{},{},{}\n", send.step, csv_field(fabric[send.from].name),
                           csv_field(fabric[send.to].name));
    });
    return exit_fine;
  };
}

}  // namespace weft::cli
