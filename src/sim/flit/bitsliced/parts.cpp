// SPDX-License-Identifier: Apache-2.0
// Words on several threads. A part has the words of its blocks, in arrays of its own. What it
// sends to the blocks of another part, flits and credits as bits and packets one by one, stays with
// it: the other one reads bits when they are due, and packets when the window is over, before they
// can arrive. (It only reads: lines of the cache that both write would cost as much as the rest of
// the cycle.)
#include <algorithm>
#include <utility>

#include "sim/flit/bitsliced/bitsliced.hpp"

namespace weft::sim {

bool BitSliced::can_part() const {
  return blocks_ > 1 && (!phases_.any() || (first_port_.empty() ? looks_plain() : plain_));
}

BitSliced::BitSliced(BitSliced& whole, const PipelineUnits& of, const std::vector<Index>& switches)
    : units_(of.units),
      layout_(whole.layout_),
      routing_(of.routing),
      choices_(of.choices),
      phases_(of.phases),
      injection_(of.injection),
      at_(whole.at_),
      blocks_(whole.blocks_),
      count_bits_(whole.count_bits_),
      left_bits_(whole.left_bits_),
      lane_bits_(whole.lane_bits_),
      set_bits_(whole.set_bits_),
      flight_(whole.flight_),
      nic_flight_(whole.nic_flight_),
      host_flight_(whole.host_flight_),
      any_idle_lane_(whole.any_idle_lane_),
      plain_classes_(whole.plain_classes_),
      plain_phases_(whole.plain_phases_),
      first_row_(whole.first_row_),
      rows_behind_(whole.rows_behind_),
      plain_(whole.plain_),
      equal_links_(whole.equal_links_),
      is_own_(whole.blocks_, 0) {
  const auto share = [](auto& own, auto& other) { own.share(other); };
  share(to_host_, whole.to_host_);
  share(entries_, whole.entries_);
  share(first_port_, whole.first_port_);
  share(link_targets_, whole.link_targets_);
  share(next_ports_, whole.next_ports_);
  share(hops_to_go_, whole.hops_to_go_);
  share(phase_hops_, whole.phase_hops_);
  for (const auto words : words_that_change) (this->*words).make_like(whole.*words);
  for (const auto words : delayed_words) (this->*words).make_like(whole.*words);
  queues_.make_like(whole.queues_);
  new_heads_.resize(whole.new_heads_.size());
  for (const Index s : switches) is_own_[s / switches_of_block()] = 1;
  for (Index block = 0; block < blocks_; ++block)
    if (is_own_[block] != 0) own_blocks_.push_back(block);
  for (const Index port : whole.host_ports_)
    if (is_own_[port / at_.ports()] != 0) host_ports_.push_back(port);
  from_nic_ = whole.from_nic_;
  split(whole.onward_, onward_, far_onward_.shifts);
  split(whole.backward_, backward_, far_backward_.shifts);
}

/// Shifts to blocks of this part, and to those of others.
void BitSliced::split(const WordShifts& all, WordShifts& near, WordShifts& far) const {
  for (std::size_t i = 0; i + 1 < all.first.size(); ++i) {
    near.first.push_back(static_cast<Index>(near.all.size()));
    far.first.push_back(static_cast<Index>(far.all.size()));
    const auto block = static_cast<Index>(i / (std::size_t{at_.ports()} * at_.wide()));
    for (Index h = all.first[i]; h < all.first[i + 1]; ++h)
      if (is_own(block_of_word(all.all[h].to)))
        near.all.push_back(all.all[h]);
      else if (is_own(block))
        far.all.push_back(all.all[h]);
  }
  near.first.push_back(static_cast<Index>(near.all.size()));
  far.first.push_back(static_cast<Index>(far.all.size()));
}

/// The words that go to a part are in lines of the cache of their own.
BitSliced::FarWords BitSliced::far_words(FarShifts& from) const {
  FarWords out{.due = &from.due, .first = from.due.each, .words = {}};
  for (const WordShift& shift : from.shifts.all)
    if (is_own(block_of_word(shift.to))) out.words.push_back(shift.to);
  std::sort(out.words.begin(), out.words.end());
  out.words.erase(std::unique(out.words.begin(), out.words.end()), out.words.end());
  std::size_t& end = from.due.each;
  for (const Index word : out.words) {
    from.places[word] = static_cast<Index>(end);
    end += at_.lanes();
  }
  end = (end + words_of_line - 1) / words_of_line * words_of_line;
  return out;
}

void BitSliced::FarShifts::make(Cycle longest) {
  for (WordShift& shift : shifts.all) shift.to = places[shift.to];
  due.make(due.each, longest);
}

void BitSliced::join_parts(const std::vector<BitSliced*>& parts) {
  for (Index number = 0; number < parts.size(); ++number) {
    BitSliced& part = *parts[number];
    part.number_ = number;
    for (auto& joins : part.far_joins_) joins.resize(parts.size());
    part.part_of_block_.assign(part.blocks_, 0);
    for (Index other = 0; other < parts.size(); ++other) {
      for (const Index block : parts[other]->own_blocks_) part.part_of_block_[block] = other;
      if (other == number) continue;
      BitSliced& from = *parts[other];
      part.others_.push_back(&from);
      part.far_arrivals_.push_back(part.far_words(from.far_onward_));
      part.far_credits_.push_back(part.far_words(from.far_backward_));
    }
  }
  for (BitSliced* part : parts) {
    part->far_onward_.make(part->arrivals_.mask + part->units_.window);
    part->far_backward_.make(part->credited_.mask + part->units_.window);
  }
}

/// Of the switches of a part.
template <class Visit>
void BitSliced::each_own_lane(Visit visit) const {
  each_lane([&](Index id) {
    if (is_own(units_.ports[layout_.port_of(id)].home / switches_of_block())) visit(id);
  });
}

/// The words of this part's blocks.
void BitSliced::copy_words(const BitSliced& from, BitSliced& to) const {
  const auto copy = [this](const Words& out_of, Words& into, std::size_t rows) {
    const std::size_t each = into.size() / (rows * blocks_);
    for (std::size_t row = 0; row < rows; ++row)
      for (const Index block : own_blocks_) {
        const std::size_t first = (row * blocks_ + block) * each;
        std::copy_n(out_of.data() + first, each, into.data() + first);
      }
  };
  for (const auto words : words_that_change) copy(from.*words, to.*words, 1);
  for (const auto delayed : delayed_words) {
    const std::size_t rows = (to.*delayed).mask + 1;
    const bool has_nics = delayed == &BitSliced::credited_;
    copy((from.*delayed).words, (to.*delayed).words, has_nics ? 2 * rows : rows);
  }
}

void BitSliced::give_packets(const std::vector<BitSliced*>& parts) {
  for (BitSliced* part : parts) {
    if (plain_) part->queues_.reserve_packets(units_.packets.size());
    part->each_own_lane([&](Index id) {
      if (units_.ports[layout_.port_of(id)].peer == nothing) return;
      const Index beyond = queue_of(units_.other_end(id));
      queues_.move(queue_of(id), part->queues_);
      part->queues_[beyond].last_holder = queues_[beyond].last_holder;
    });
  }
}

void BitSliced::begin_window(Cycle end) {
  take_joins_of_others(window_++);
  for (auto& joins : far_joins_[window_ % 2]) joins.clear();
  // Others have read what was due for them in the last window.
  for (; window_begin_ < window_end_; ++window_begin_) {
    far_onward_.due.clear(window_begin_);
    far_backward_.due.clear(window_begin_);
  }
  window_begin_ = units_.now;
  window_end_ = end;
  for (Cycle at = units_.now; at < end; ++at)
    for (const auto* incoming : {&far_arrivals_, &far_credits_})
      for (const FarWords& far : *incoming) far.prefetch(at, at_.lanes());
}

void BitSliced::take_joins_of_others(std::size_t window) {
  for (const BitSliced* other : others_) {
    const std::vector<FarJoin>& joins = other->far_joins_[window % 2][number_];
    for (const FarJoin& join : joins) __builtin_prefetch(&units_.packets[join.packet], 1);
    take_joins(joins);
  }
}

void BitSliced::FarWords::prefetch(Cycle at, Index lanes) const {
  const Word* const from = due->at(at) + first;
  for (std::size_t i = 0; i < words.size() * lanes; i += words_of_line)
    __builtin_prefetch(from + i);
}

void BitSliced::FarWords::add_to(DelayedWords& own, Cycle at, const WordLayout<>& layout) const {
  const Word* from = due->at(at) + first;
  Word* const to = own.at(at);
  for (const Index word : words)
    for (Index v = 0; v < layout.lanes(); ++v) to[word + v * layout.wide()] |= *from++;
}

void BitSliced::receive_far_words() {
  for (const FarWords& far : far_arrivals_) far.add_to(arrivals_, units_.now, at_);
  for (const FarWords& far : far_credits_) far.add_to(credited_, units_.now, at_);
}

void BitSliced::take_back(const std::vector<BitSliced*>& parts) {
  if (plain_) queues_.reserve_packets(units_.packets.size());
  for (BitSliced* part : parts) {
    for (Cycle at = units_.now; at <= units_.now + arrivals_.mask; ++at)
      for (const FarWords& far : part->far_arrivals_) far.add_to(arrivals_, at, at_);
    for (Cycle at = units_.now; at <= units_.now + credited_.mask; ++at)
      for (const FarWords& far : part->far_credits_) far.add_to(credited_, at, at_);
    for (auto& window : part->far_joins_)
      for (auto& joins : window) joins.clear();
    part->each_own_lane([&](Index id) {
      if (units_.ports[layout_.port_of(id)].peer == nothing) return;
      const Index own = queue_of(id), beyond = queue_of(units_.other_end(id));
      part->queues_.move(own, queues_);
      queues_[beyond].last_holder = part->queues_[beyond].last_holder;
      queues_[own].sent += std::exchange(part->queues_[own].sent, 0);
      if (queues_.leads_to_host(beyond))
        queues_[beyond].sent += std::exchange(part->queues_[beyond].sent, 0);
    });
  }
  for (BitSliced* part : parts) {
    part->window_begin_ = part->window_end_ = 0;
    for (FarShifts* far : {&part->far_onward_, &part->far_backward_})
      std::fill(far->due.words.begin(), far->due.words.end(), 0);
  }
}

}  // namespace weft::sim
