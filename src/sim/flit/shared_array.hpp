// SPDX-License-Identifier: Apache-2.0
// SharedArray: an array of a network that the parts of it share (parts/): each works on the
// elements of its own switches. The one that has made it may change its length. Or each part has
// one like it.
#pragma once
#include <cstddef>
#include <type_traits>
#include <utility>

#include "base/huge_pages.hpp"
#include "base/pages.hpp"

namespace weft::sim {

template <class T>
class SharedArray {
 public:
  SharedArray() = default;
  explicit SharedArray(std::size_t count) : own_(count) { follow(); }
  SharedArray(std::size_t count, const T& value) : own_(count, value) { follow(); }
  SharedArray(const SharedArray&) = delete;
  SharedArray& operator=(const SharedArray&) = delete;

  /// From now on this is the other one's array, as long as that keeps its length.
  void share(SharedArray& other) {
    own_.clear();
    data_ = other.data_;
    size_ = other.size_;
  }

  /// Or it is one of its own, as long as the other one and full of zeros. What is not used takes no
  /// memory, and what is, is not beside anything else: processors read ahead, and so would take
  /// from each other what they write.
  void make_like(const SharedArray& other) {
    static_assert(std::is_trivially_copyable_v<T>);
    own_.clear();
    pages_ = Pages(other.size_ * sizeof(T));
    data_ = static_cast<T*>(pages_.data());
    size_ = other.size_;
  }

  // (`const` is that of the array, not of its elements.)
  [[gnu::always_inline]] T& operator[](std::size_t i) { return data_[i]; }
  [[gnu::always_inline]] const T& operator[](std::size_t i) const { return data_[i]; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

  void assign(std::size_t count, const T& value) {
    change([&] { own_.assign(count, value); });
  }
  void resize(std::size_t count, const T& value) {
    change([&] { own_.resize(count, value); });
  }
  void reserve(std::size_t count) {
    change([&] { own_.reserve(count); });
  }
  void push_back(const T& value) {
    change([&] { own_.push_back(value); });
  }
  /// Its memory is given back, too.
  void clear() {
    change([&] { own_ = {}; });
  }

 private:
  template <class Change>
  void change(Change change) {
    change();
    follow();
  }
  void follow() {
    data_ = own_.data();
    size_ = own_.size();
  }
  HugeVector<T> own_;
  Pages pages_;  ///< or these
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace weft::sim
