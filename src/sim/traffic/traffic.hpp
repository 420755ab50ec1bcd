// SPDX-License-Identifier: Apache-2.0
// Traffic patterns: who sends to whom. One file per pattern, one row per file.
#pragma once
#include <memory>
#include <span>
#include <string_view>

#include "base/catalog.hpp"
#include "base/params.hpp"
#include "base/rng.hpp"
#include "fabric/fabric.hpp"

namespace weft::sim {

/// Destinations of one fabric's hosts.
class Pattern {
 public:
  virtual ~Pattern() = default;
  /// Where `from` sends its next packet; none: it sends no more. May return `from` itself.
  /// Several threads may ask at once, each for hosts of its own: what it keeps, it keeps by host.
  virtual HostId next(HostId from, Rng& rng) = 0;
  /// Whether every host sends a last packet.
  virtual bool ends() const { return false; }
};

using MakePattern = std::unique_ptr<Pattern>(const Fabric&, const Params&);

std::span<const Row<MakePattern>> patterns();
/// "hot_spot:share=0.2". Throws Error for a wrong spec or a fabric that the pattern does not fit.
std::unique_ptr<Pattern> make_pattern(const Fabric& fabric, const Spec& spec);
std::unique_ptr<Pattern> make_pattern(const Fabric& fabric, std::string_view text);

}  // namespace weft::sim
