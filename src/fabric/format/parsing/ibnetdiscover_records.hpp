// SPDX-License-Identifier: Apache-2.0
// The records of an ibnetdiscover text as written, before they are assembled.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/format/format.hpp"

namespace weft::ibnetdiscover {

enum class NodeKind { switch_node, nic, router };

/// The line of one connected port.
struct PortLine {
  std::size_t line = 0;
  PortNumber port = 0;
  Guid guid = 0;
  std::string_view peer{};
  PortNumber peer_port = 0;
  Lid lid = 0;
  std::uint8_t lmc = 0;
  std::optional<Bandwidth> speed{};
  Delay delay{};
};

struct NodeRecord {
  NodeKind kind = NodeKind::switch_node;
  std::size_t line = 0;
  PortNumber ports = 0;
  std::string_view id{};
  Guid guid = 0;
  Lid lid = 0;
  std::string name{};  ///< the description
  std::vector<PortLine> links{};
};

struct Records {
  std::string fabric_name;
  std::vector<NodeRecord> nodes;
};

/// The records refer to the text of `source`. Throws Error.
Records parse(const Source& source);

/// The fabric of records. Throws Error unless every link is listed at both ends, alike.
Fabric assemble(const Source& source, const Records& records);

/// "S-0002c90200000001"
std::string id_of(NodeKind kind, Guid guid);

/// A name without the " [H-0002c90200000001]" or " [H-0002c90200000001:2]" after it, by which the
/// reader distinguishes nodes with one description, and the ports of one NIC.
std::string without_suffix(std::string name, const std::string& id);

}  // namespace weft::ibnetdiscover
