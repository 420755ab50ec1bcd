// SPDX-License-Identifier: Apache-2.0
// The cluster files of the published machines, and the runs on them.
#include <algorithm>

#include "base/error.hpp"
#include "papers/hardware/experiments.hpp"

namespace weft::papers::hardware {
namespace {

/// "mine/azure_hbv3.toml" becomes "mine/dane.toml".
std::string named(const std::string& first, std::string_view cluster) {
  const std::size_t at = first.rfind(first_cluster);
  if (at == std::string::npos)
    throw Error(
        "{}: the study has a cluster file for each machine: name the first, {}, beside them", first,
        first_cluster);
  return std::string(first).replace(at, first_cluster.size(), cluster);
}

/// The spec with more parameters, or other values for them; nothing if none are given.
std::string changed(const std::string& spec, const std::string& values) {
  if (values.empty()) return "";
  Spec out = Spec::parse(spec);
  for (const auto& [key, value] : Spec::parse("other:" + values).values) out.values[key] = value;
  return out.text();
}

void require_end(const ProgramSpec& run, const ProgramResult& result) {
  if (result.ended != run::WorldEnd::finished)
    throw Error("{}: {}", run.program, result.explanation);
}

}  // namespace

const PublishedMachine& machine_named(std::string_view name) {
  const auto* const found = std::find_if(machines.begin(), machines.end(),
                                         [&](const auto& each) { return each.name == name; });
  invariant(found != machines.end(), "there is no such machine");
  return *found;
}

double copy_out_for(double gigabytes_per_second, double overhead) {
  constexpr double fragment = 8192;
  return fragment / (fragment / gigabytes_per_second - overhead);
}

double gigabytes_per_second(std::size_t bytes, double microseconds) {
  return static_cast<double>(bytes) / microseconds / 1e3;
}
double microseconds_at(std::size_t bytes, double rate) {
  return static_cast<double>(bytes) / rate / 1e3;
}

HardwareStudy::HardwareStudy(const Lab& lab) : lab_(lab) {
  for (const PublishedMachine& machine : machines) add(machine);
  for (const PublishedMachine& machine : collective_machines) add(machine);
}

void HardwareStudy::add(const PublishedMachine& machine) {
  const std::string name = named(lab_.cluster, machine.cluster);
  const Cluster& file =
      clusters_.try_emplace(std::string(machine.cluster), NamedCluster{name, find_cluster(name)})
          .first->second.file;
  if (file.nic.empty() || file.library.empty())
    throw Error("{}: the study needs a nic and a library", file.name);
  if (file.topologies.size() <= machine.topology)
    throw Error("{}: {} needs {} topologies", file.name, machine.name, machine.topology + 1);
  const Fabric fabric = find_fabric(file.topologies[machine.topology], file.links);
  for (const HostId host : fabric.hosts()) hosts_[machine.name].push_back(fabric[host].name);
  if (hosts_[machine.name].size() < 2) throw Error("{}: a pair needs two hosts", file.name);
}

void HardwareStudy::prepare(const std::vector<ProgramSpec>& runs) {
  results_.add(lab_, runs,
               {.simulate =
                    [this](const ProgramSpec& run) {
                      ProgramResult result = run_program(run, networks_);
                      require_end(run, result);
                      return result;
                    },
                .label = [](const ProgramSpec& run) { return run.program; }});
}

std::vector<Cell> HardwareStudy::program_row(const ProgramSpec& run) const {
  const ProgramResult& result = at(run);
  return {command_of(run), std::string(weft::to_text(result.ended)), slowest(run),
          static_cast<std::int64_t>(result.messages)};
}

Declared HardwareStudy::declared() const {
  Declared out;
  for (const auto& [cluster, each] : clusters_)
    out.emplace_back(each.name, each.file.topologies.front());
  return out;
}

ProgramSpec HardwareStudy::on(const PublishedMachine& machine, std::string program) const {
  const NamedCluster& cluster = clusters_.at(std::string(machine.cluster));
  ProgramSpec run{.program = std::move(program), .cluster = cluster.name};
  if (machine.topology > 0) run.topology = cluster.file.topologies[machine.topology];
  const auto& hosts = hosts_.at(machine.name);
  run.hosts = hosts.front() + "," + hosts.back();
  return run;
}

ProgramSpec HardwareStudy::ping(const PublishedMachine& machine, std::size_t bytes,
                                const OtherValues& other) const {
  ProgramSpec run = on(machine, fmt::format("pingpong:bytes={},iterations=1,warmup=1", bytes));
  const Cluster& file = cluster(machine);
  run.nic = changed(file.nic, other.nic);
  run.library = changed(file.library, other.library);
  if (!other.topology.empty())
    run.topology = changed(file.topologies[machine.topology], other.topology);
  return run;
}

ProgramSpec HardwareStudy::stream(const PublishedMachine& machine) const {
  return on(machine, "put:bytes=4MiB,window=4,iterations=16,warmup=4");
}

ProgramSpec HardwareStudy::dissemination(const PublishedMachine& machine, std::size_t count) const {
  return on_spread(machine, "barrier:algorithm=dissemination,iterations=2,warmup=1,every=100us",
                   {count});
}

ProgramSpec HardwareStudy::on_spread(const PublishedMachine& machine, std::string program,
                                     const Placement& placement) const {
  ProgramSpec run = on(machine, std::move(program));
  const auto& hosts = hosts_.at(machine.name);
  const std::size_t among = placement.among > 0 ? placement.among : hosts.size();
  if (hosts.size() < std::max(among, placement.hosts))
    throw Error("{}: {} needs {} hosts", cluster(machine).name, machine.name, among);
  run.hosts.clear();
  for (std::size_t i = 0; i < placement.hosts; ++i)
    run.hosts += (i > 0 ? "," : "") + hosts[i * among / placement.hosts];
  return run;
}

double HardwareStudy::half_trip(const ProgramResult& result) {
  return figure_of(result, "one_way");
}

double HardwareStudy::rate(const ProgramSpec& run) const {
  return figure_of(at(run), "bandwidth") / 1e3;
}

double HardwareStudy::slowest(const ProgramSpec& run) const {
  return static_cast<double>(at(run).slowest.mean.count()) / 1e6;
}

double HardwareStudy::simulated_half_trip(const ProgramSpec& run) const {
  const ProgramResult result = run_program(run, networks_);
  require_end(run, result);
  return half_trip(result);
}

}  // namespace weft::papers::hardware
