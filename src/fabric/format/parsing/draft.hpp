// SPDX-License-Identifier: Apache-2.0
// Draft: what a reader has collected, each thing with its line. It chooses the ports that the file
// leaves open, refuses absurd sizes, and names the line of every mistake.
#pragma once
#include <string>
#include <vector>

#include "fabric/builder.hpp"
#include "fabric/format/format.hpp"

namespace weft {

/// What was read, and the number of its line.
template <class T>
struct AtLine {
  T value;
  std::size_t line;
};

class Draft {
 public:
  /// `source` must outlive the draft.
  Draft(const Source& source, std::string name) : source_(source), name_(std::move(name)) {}

  SwitchId add(Switch s, std::size_t line);
  void add(Host h, std::size_t line) { hosts_.push_back({std::move(h), line}); }
  void add(Link link, std::size_t line) { links_.push_back({link, line}); }
  const Switch& operator[](SwitchId s) const { return switches_[s].value; }

  /// A port 0 becomes the lowest one that nothing else in the file names, hosts first. Throws
  /// Error.
  Fabric build() &&;

 private:
  void require_name() const;
  void survey();
  void note(LinkEnd end, std::size_t line);
  void grow(SwitchId s, std::size_t ports, std::size_t line);
  PortNumber open_port(LinkEnd end);

  const Source& source_;
  std::string name_;
  IdVector<SwitchId, AtLine<Switch>> switches_;
  std::vector<AtLine<Host>> hosts_;
  std::vector<AtLine<Link>> links_;
  IdVector<SwitchId, std::vector<bool>> named_;  ///< ports that the file names
  IdVector<SwitchId, std::size_t> next_;
  std::size_t port_total_ = 0;
};

}  // namespace weft
