// SPDX-License-Identifier: Apache-2.0
// Batch means.
#include "sim/measure/batches.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/chance.hpp"
#include "base/student.hpp"

namespace weft::sim {

/// The means of `count` batches m, scaled: their sum, and count * sum(m^2) - sum(m)^2.
struct Batches::Spread {
  std::uint64_t count = 0;
  Wide sum = 0, scatter = 0;
  unsigned scale_bits = 0;

  bool known() const { return count >= 2; }
  std::uint64_t t() const { return student_thousandths(count - 1); }
  double half_width() const {
    const auto n = static_cast<double>(count);
    const double error = std::sqrt(static_cast<double>(scatter) / (n * n * (n - 1)));
    return static_cast<double>(t()) * error / 1000 / static_cast<double>(1U << scale_bits);
  }
  bool within_one_percent() const {
    return Wide{t() * t()} * scatter <= 100 * (count - 1) * sum * sum;
  }
};

Batches& Batches::operator+=(Batches other) {
  while (shift_ < other.shift_) join();
  while (other.shift_ < shift_) other.join();
  for (std::size_t i = 0; i < most; ++i) {
    batch_[i].sum += other.batch_[i].sum;
    batch_[i].count += other.batch_[i].count;
  }
  return *this;
}

void Batches::join() {
  for (std::size_t i = 0; i < most / 2; ++i)
    batch_[i] = {batch_[2 * i].sum + batch_[2 * i + 1].sum,
                 batch_[2 * i].count + batch_[2 * i + 1].count};
  std::fill(batch_.begin() + most / 2, batch_.end(), Batch{});
  ++shift_;
}

Batches::Spread Batches::spread(Cycle length, std::size_t together) const {
  const auto whole = static_cast<std::size_t>(std::min<Cycle>(length >> shift_, most));
  std::array<Batch, most> joined{};
  Spread out;
  std::uint64_t largest = 1;
  for (std::size_t i = 0; i + together <= whole; i += together) {
    Batch batch;
    for (std::size_t j = i; j < i + together; ++j) {
      batch.sum += batch_[j].sum;
      batch.count += batch_[j].count;
    }
    if (batch.count == 0) continue;
    largest = std::max(largest, batch.sum / batch.count);
    joined[out.count++] = batch;
  }
  // As many fraction bits as leave room in 128 bits for the squares.
  const auto bits = static_cast<unsigned>(std::bit_width(largest));
  out.scale_bits = bits < 16 ? 20 : bits < 28 ? 10 : 0;
  Wide squares = 0;
  for (std::size_t i = 0; i < out.count; ++i) {
    const Wide mean = (Wide{joined[i].sum} << out.scale_bits) / joined[i].count;
    out.sum += mean;
    squares += mean * mean;
  }
  out.scatter = out.count * squares - out.sum * out.sum;
  return out;
}

std::optional<double> Batches::half_width(Cycle length) const {
  const Spread one = spread(length, 1), two = spread(length, 2);
  if (!one.known()) return std::nullopt;
  return std::max(one.half_width(), two.known() ? two.half_width() : 0);
}

bool Batches::within_one_percent(Cycle length) const {
  const Spread one = spread(length, 1), two = spread(length, 2);
  return two.known() && one.within_one_percent() && two.within_one_percent();
}

}  // namespace weft::sim
