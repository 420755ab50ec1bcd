// SPDX-License-Identifier: Apache-2.0
// Ids as types: an index that knows what it counts, the list it indexes, and a loop over all of
// them.
#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace weft {

template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : value_(static_cast<std::uint32_t>(index)) {}

  static constexpr Id none() { return Id(); }
  [[nodiscard]] constexpr bool valid() const { return value_ != none_value; }
  [[nodiscard]] constexpr std::size_t index() const { return value_; }

  friend constexpr auto operator<=>(Id, Id) = default;
  constexpr Id& operator++() {
    ++value_;
    return *this;
  }

 private:
  static constexpr std::uint32_t none_value = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t value_ = none_value;
};

/// `for (SwitchId s : IdRange<SwitchId>(count))`
template <class I>
class IdRange {
 public:
  constexpr explicit IdRange(std::size_t count) : count_(count) {}
  struct IdIterator {
    I at;
    constexpr I operator*() const { return at; }
    constexpr IdIterator& operator++() {
      ++at;
      return *this;
    }
    friend constexpr bool operator==(IdIterator, IdIterator) = default;
  };
  [[nodiscard]] constexpr IdIterator begin() const { return {I(0)}; }
  [[nodiscard]] constexpr IdIterator end() const { return {I(count_)}; }
  [[nodiscard]] constexpr std::size_t size() const { return count_; }

 private:
  std::size_t count_;
};

/// A vector indexed by an id type instead of a bare number.
template <class I, class T>
class IdVector {
 public:
  IdVector() = default;
  explicit IdVector(std::size_t count, T value = T()) : items_(count, value) {}
  explicit IdVector(std::vector<T> items) : items_(std::move(items)) {}

  decltype(auto) operator[](I id) { return items_[id.index()]; }
  decltype(auto) operator[](I id) const { return items_[id.index()]; }
  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] IdRange<I> ids() const { return IdRange<I>(items_.size()); }
  I push_back(T value) {
    items_.push_back(std::move(value));
    return I(items_.size() - 1);
  }
  void assign(std::size_t count, const T& value) { items_.assign(count, value); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  const std::vector<T>& items() const { return items_; }
  friend bool operator==(const IdVector&, const IdVector&) = default;

 private:
  std::vector<T> items_;
};

}  // namespace weft
