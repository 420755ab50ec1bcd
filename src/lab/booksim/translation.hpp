// SPDX-License-Identifier: Apache-2.0
// From a configuration of BookSim 2 to the simulation that does the same here.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/booksim/configuration.hpp"
#include "lab/simulate/request.hpp"

namespace weft::booksim {

/// What happens where weft has something similar only.
enum class Likeness { exact, nearest };

struct TranslatedConfiguration {
  SimulationSpec spec{};
  std::uint64_t seeds = 1;
  std::vector<std::string> notes{};  ///< of what is similar only
};

/// Throws Error that names the first parameter, by its line, that weft cannot express.
TranslatedConfiguration translated(const Configuration& configuration, Likeness likeness);

/// "weft sim mesh:dims=8x8 dor --switch iq:lanes=8": what differs from the defaults.
std::string command_of(const TranslatedConfiguration& translation);

// --- the parts, for translation.cpp

/// Collects what cannot be expressed.
class Objections {
 public:
  Objections(const Configuration& configuration, Likeness likeness)
      : configuration_(configuration), likeness_(likeness) {}
  /// Nothing of the kind is there.
  void impossible(std::string_view key, const std::string& why);
  /// Something similar is; only with Likeness::nearest.
  void similar(std::string_view key, const std::string& what);
  /// Throws Error for the one of the first line.
  void settle() const;
  std::vector<std::string> notes{};

 private:
  const Configuration& configuration_;
  Likeness likeness_;
  static constexpr std::size_t behind_all = ~std::size_t{0};
  std::size_t line_ = 0;  ///< of the first one
  std::string words_{};
};

/// Of links between switches.
long lanes_of(const Configuration& from);
/// Fabric and tables, and what they need of the switches: words such as ",policy=random".
std::string translate_network(const Configuration& from, Objections& objections,
                              SimulationSpec& to);
void translate_traffic(const Configuration& from, Objections& objections, SimulationSpec& to);

}  // namespace weft::booksim
