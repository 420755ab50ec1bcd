// SPDX-License-Identifier: Apache-2.0
// The relay of a multicast by puts.
#include "comm/coll/patterns/relay.hpp"

#include <utility>

#include "base/error.hpp"
#include "comm/coll/patterns/scratch.hpp"

namespace weft::comm {

constexpr Tag where_data = 1, where_done = 2;

PutRelay::PutRelay(const Team& team, Relay relay, std::size_t buffer)
    : team_(team),
      parent_(relay.parent),
      children_(relay.children.size()),
      done_(children_.size()),
      each_((buffer + 2 * sizeof(Number) - 1) / sizeof(Number) * sizeof(Number)),
      buffers_(2 * each_),
      region_(team.endpoint().expose(buffers_)),
      done_region_(team.endpoint().expose(std::as_writable_bytes(std::span(done_)))) {
  for (std::size_t i = 0; i < children_.size(); ++i) children_[i].rank = relay.children[i];
}

Task PutRelay::connect() {
  const RemoteSlice buffers = region_.slice();
  std::vector<RemoteSlice> done(children_.size());
  Ops ops(team_.endpoint(), 2 * children_.size() + 2);
  for (std::size_t i = 0; i < children_.size(); ++i) {
    Child& child = children_[i];
    done[i] = done_region_.slice(i * sizeof(Number));
    ops.add([&] { return team_.send(child.rank, where_done, bytes_of(done[i])); });
    ops.add([&] { return team_.recv(child.rank, where_data, writable_bytes_of(child.buffers)); });
  }
  if (parent_ != nobody) {
    ops.add([&] { return team_.send(parent_, where_data, bytes_of(buffers)); });
    ops.add([&] { return team_.recv(parent_, where_done, writable_bytes_of(parents_word_)); });
  }
  co_await ops.all();
}

TaskOf<Status> PutRelay::finish_last() {
  for (Child& child : children_) {
    if (child.put.get() == nullptr) continue;
    const Result result = co_await *child.put.get();
    if (!result.ok()) co_return result.status;
  }
  if (parent_ == nobody || number_ == 0) co_return Status::ok;
  if (Op* const before = acknowledgement_.get()) {
    const Result result = co_await *before;
    if (!result.ok()) co_return result.status;
  }
  acknowledged_ = number_;
  acknowledgement_.make([&] { return team_.put(parent_, parents_word_, bytes_of(acknowledged_)); });
  co_return Status::ok;
}

TaskOf<Status> PutRelay::run(std::span<std::byte> data) {
  if (data.size() + sizeof(Number) > each_)
    throw Error("schedule: {} bytes do not fit buffers of {}", data.size(), each_ - sizeof(Number));
  const Status status = co_await finish_last();
  if (status != Status::ok) co_return status;
  ++number_;
  const std::size_t start = end_of(number_) - sizeof(Number) - data.size();
  const auto filled = std::span(buffers_).subspan(start, data.size() + sizeof(Number));
  if (parent_ == nobody) {
    copy_contents(data, filled.first(data.size()));
    word(number_) = number_;
  } else {
    co_await team_.endpoint().until(word(number_), at_least(number_));
  }
  for (std::size_t i = 0; i < children_.size(); ++i) {
    Child& child = children_[i];
    co_await team_.endpoint().until(done_[i], at_least(number_ - 2));
    child.put.make([&] {
      return team_.put(child.rank, {child.buffers.key, child.buffers.offset + start}, filled);
    });
  }
  if (parent_ != nobody) copy_contents(filled.first(data.size()), data);
  co_await team_.endpoint().catch_up();
  co_return Status::ok;
}

}  // namespace weft::comm
