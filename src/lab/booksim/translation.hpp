// SPDX-License-Identifier: Apache-2.0
// From a configuration of BookSim 2 to the simulation that does the same here.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/booksim/configuration.hpp"
#include "lab/progress.hpp"
#include "lab/simulate/request.hpp"

namespace weft::booksim {

/// What happens where weft has something similar only.
enum class Likeness { exact, nearest };

struct TranslatedConfiguration {
  SimulationSpec spec{};
  std::uint64_t seeds = 1;
  std::vector<std::string> notes{};  ///< of what is similar only, and of BookSim 2's own
};

/// Throws Error that names the first parameter, by its line, that weft cannot express.
TranslatedConfiguration translated(const Configuration& configuration, Likeness likeness);

/// Whether the network of a translation can deadlock, in words. Throws Error where weft would
/// refuse the command; where lanes are too few, with the number that would do.
std::string verdict_on(const TranslatedConfiguration& translation,
                       const Configuration& configuration, const SetUpProgress& progress = {});

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
  /// The same is there, and something is to be said about it.
  void remark(std::string_view key, const std::string& what);
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

/// What BookSim 2 does where there are fewer lanes than its routing function needs.
std::string with_too_few_lanes(const Configuration& from);
/// Of links between switches.
long lanes_of(const Configuration& from);
/// Fabric and tables, and what they need of the switches: words such as ",policy=random".
std::string translate_network(const Configuration& from, Objections& objections,
                              SimulationSpec& to);
void translate_traffic(const Configuration& from, Objections& objections, SimulationSpec& to);

}  // namespace weft::booksim
