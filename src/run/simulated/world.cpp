// SPDX-License-Identifier: Apache-2.0
// The simulated world: what travels between its ranks, and how a run ends.
#include "run/simulated/world.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "run/simulated/elan3.hpp"

namespace weft::run {

using comm::Op;
using comm::Rank;

namespace {

/// Where ranks are: the host and processor of each.
struct RankPlaces {
  std::vector<SimulatedEndpoint::RankLocation> ranks{};
  std::uint32_t processors = 1;  ///< of every host
};

RankPlaces places_of(const Fabric& fabric, const WorldOptions& options) {
  constexpr std::uint32_t most = 4096;
  std::vector<HostId> hosts = options.hosts;
  if (hosts.empty())
    for (HostId host : fabric.hosts()) hosts.push_back(host);
  if (hosts.empty()) throw Error("world: the fabric has no hosts");
  RankPlaces out;
  std::vector<std::uint32_t> ranks(fabric.host_count());
  for (const HostId host : hosts) {
    if (host.index() >= ranks.size())
      throw Error("world: host number {} is not in the fabric", host.index());
    for (int i = 0; i < options.ranks_per_host; ++i)
      out.ranks.push_back({static_cast<Rank>(out.ranks.size()), host, ranks[host.index()]++});
    out.processors = std::max(out.processors, ranks[host.index()]);
    if (options.ranks_per_host < 1 || out.processors > most)
      throw Error("world: {} ranks per host: from 1 to {} are possible",
                  options.ranks_per_host < 1 ? static_cast<std::uint32_t>(0) : out.processors,
                  most);
  }
  return out;
}

/// Without a library, the NIC may want messages copied to registered memory.
WorldOptions with_copies(WorldOptions options, const sim::NicModel& model) {
  if (!options.library.buffers && model.copies_messages) options.library.copy_in = model.copy;
  return options;
}

}  // namespace

World::World(const Fabric& fabric, const Tables& tables, const sim::SwitchModel& switches,
             const sim::NicModel& model, const WorldOptions& options)
    : tables_(tables),
      model_(model),
      options_(with_copies(options, model)),
      buffers_(options.library.buffers || !model.insists_on_descriptors),
      host_begin_(fabric.host_count() + 1) {
  const RankPlaces places = places_of(fabric, options);
  hosts_ = model.make_hosts(
      model,
      {fabric, tables, switches, {.processors = places.processors, .network = options.network}});
  size_ = static_cast<int>(places.ranks.size());
  make_parts();
  const comm::Tagged::Costs costs{.library = options_.library,
                                  .eager_limit = static_cast<std::size_t>(model.eager.count),
                                  .connections = size_ - 1,
                                  .reads = model.reads};
  std::vector<std::vector<SimulatedEndpoint*>> by_host(fabric.host_count());
  for (const SimulatedEndpoint::RankLocation& place : places.ranks) {
    ranks_.push_back(std::make_unique<SimulatedEndpoint>(*this, place, costs));
    ranks_.back()->record(options.record ? this : options.log);
    by_host[place.host.index()].push_back(ranks_.back().get());
  }
  for (std::size_t host = 0; host < by_host.size(); ++host) {
    by_host_.insert(by_host_.end(), by_host[host].begin(), by_host[host].end());
    host_begin_[host + 1] = by_host_.size();
  }
  if (options.library.match.count() > 0 && !model.has_processor)
    throw Error("world: {} has the NIC match envelopes, and that of {} has no processor for it",
                options.library.spec, model.spec);
  if (auto* elans = hosts_->capability<sim::Elans>())
    elans_ = std::make_unique<ElanRanks>(*this, *elans);
  for (const Departure& departure : options.departures) {
    if (departure.rank < 0 || departure.rank >= size_)
      throw Error("world: rank {} cannot leave: there are {}", departure.rank, size_);
    parts_.front()->later(departure.at, {.kind = DeferredKind::leave, .rank = departure.rank});
  }
}

World::~World() = default;

/// Whether ranks know of each other by messages only.
bool World::can_part() const {
  return options_.ranks_are_apart && !options_.record && options_.departures.empty();
}

void World::make_parts() {
  if (can_part()) hosts_->part_hosts();
  for (std::size_t part = 0; part < hosts_->parts(); ++part)
    parts_.push_back(std::make_unique<WorldPart>(*this, hosts_->in_part(part), shipments_));
}

comm::Time World::now() const {
  comm::Time out{};
  for (const auto& part : parts_) out = std::max(out, part->now());
  return out;
}

sim::FlowKey World::flow_key(const comm::Flow& flow) {
  const SimulatedEndpoint::RankLocation& from = rank(flow.source).place();
  const SimulatedEndpoint::RankLocation& to = rank(flow.target).place();
  return {from.host, to.host, from.processor, to.processor, flow.priority == comm::Priority::high};
}

void World::touched(HostId host, std::span<const std::byte> memory) {
  for (SimulatedEndpoint* endpoint : ranks_on(host)) endpoint->touched(memory);
}

std::span<SimulatedEndpoint* const> World::ranks_on(HostId host) const {
  return std::span(by_host_).subspan(host_begin_[host.index()],
                                     host_begin_[host.index() + 1] - host_begin_[host.index()]);
}

Duration World::copy_time(std::uint64_t bytes) const {
  constexpr std::uint64_t cache_line = 64;
  if (bytes <= cache_line || model_.copy.bits_per_second == 0) return Duration{0};
  if (options_.library.copy_out.bits_per_second > 0) return Duration{0};
  return Bytes{static_cast<std::int64_t>(bytes)} / model_.copy;
}

// --- the run ------------------------------------------------------------------------------------

comm::Task World::life(const Program& program, SimulatedEndpoint& endpoint) {
  co_await program(endpoint);
  if (elans_) elans_->leave(endpoint.rank());
  finished_[static_cast<std::size_t>(endpoint.rank())] = endpoint.now();
}

WorldResult World::run(const Program& program) {
  invariant(finished_.empty(), "a world runs once");
  finished_.assign(ranks_.size(), comm::Time{-1});
  lives_.reserve(ranks_.size());
  for (const auto& endpoint : ranks_) {
    lives_.emplace_back(life(program, *endpoint));
    lives_.back()->start(part_of(endpoint->place().host).ready());
  }
  std::vector<sim::HostUser*> users;
  for (const auto& part : parts_) users.push_back(part.get());
  WorldResult out = outcome(hosts_->run(users, options_.until));
  const std::vector<std::optional<comm::Task>> lives = std::move(lives_);  // they end here
  for (const auto& life : lives)
    if (life && life->done()) life->result();  // throws what its rank threw
  return out;
}

WorldResult World::outcome(sim::NetworkEnd ended) {
  WorldResult out;
  out.finished = finished_;
  const auto done = [&](std::size_t rank) {
    return finished_[rank].count() >= 0 || ranks_[rank]->left_;
  };
  bool all = true;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) all = all && done(rank);
  if (all) {
    out.ended = WorldEnd::finished;
    out.time = *std::max_element(finished_.begin(), finished_.end());
    return out;
  }
  out.time = now();
  out.ended = ended == sim::NetworkEnd::quiet        ? WorldEnd::stuck
              : ended == sim::NetworkEnd::deadlocked ? WorldEnd::deadlocked
                                                     : WorldEnd::out_of_time;
  if (out.ended == WorldEnd::out_of_time) out.time = options_.until;
  if (out.ended == WorldEnd::deadlocked) out.explanation = hosts_->network().explanation() + "\n";
  for (const auto& endpoint : ranks_)
    for (const comm::PendingOperation& pending : endpoint->pending())
      out.pending.push_back(pending);
  out.explanation += comm::to_text(out.pending);
  return out;
}

void World::completed(const Op& op, Rank rank, comm::Time at) {
  records_.push_back(record_of(op, rank, at));
}

/// Ends a rank that dies: withdraws its operations and notifies all ranks.
void World::leave(Rank rank) {
  SimulatedEndpoint& leaving = this->rank(rank);
  auto& life = lives_[static_cast<std::size_t>(rank)];
  if (leaving.left_ || life->done()) return;
  leaving.left_ = true;
  life.reset();
  if (elans_) elans_->leave(rank);
  for (const auto& endpoint : ranks_) endpoint->lose(rank, comm::Status::peer_gone);
}

OperationRecord record_of(const Op& op, Rank rank, comm::Time at) {
  const comm::OpRequest& request = op.request();
  const bool sends = request.kind == comm::OpKind::send;
  return {.rank = rank,
          .kind = request.kind,
          .status = op.result().status,
          .peer = request.peer,
          .tag = request.envelope.tag,
          .bytes = request.data.size() + request.into.size(),
          .message = sends ? op.carried.message : op.result().message,
          .posted = op.since(),
          .completed = at};
}

}  // namespace weft::run
