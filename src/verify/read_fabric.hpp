// SPDX-License-Identifier: Apache-2.0
// FabricReader: switches, hosts and links.
#pragma once
#include "verify/forms.hpp"

namespace weft::verifier {

class FabricReader : FormReader {
 public:
  explicit FabricReader(VerifierInput& in) : FormReader(in) {}

  void read(const InputText& text) {
    begin(text, " \t\r\n,=", "[]{}");
    need("weft");
    need("\"fabric 1\"");
    while (take("name") || take("speed") || take("delay")) name();
    rows("switches", "[ NAME PORTS", [this] {
      add_name(in_.switches, in_.switch_called);
      in_.link_at.emplace_back(values_[1] + std::size_t{1}, none);
    });
    rows("hosts", "[ NAME SWITCH FREE", [this] {
      add_name(in_.hosts, in_.host_called);
      add_link({values_[1], values_[2], values_[1], values_[2]});
    });
    for (Index s = 0; s < in_.switches.size(); ++s) add_link({s, 0, s, 0});
    rows("links", "[ SWITCH FREE SWITCH FREE", [this] {
      check(values_[0] != values_[2], "a link joins a switch with itself");
      add_link({values_[0], values_[1], values_[2], values_[3]});
      add_link({values_[2], values_[3], values_[0], values_[1]});
    });
    check(next().empty(), "the text should end here");
    in_.unusual.resize(in_.switches.size());
  }

 private:
  /// The rows of a list. What stands in braces at the end of a row does not matter here.
  template <class Row>
  void rows(const std::string& list, std::string_view form, Row add_row) {
    need(list);
    for (need("["); !take("]"); need("]")) {
      match(form);
      add_row();
      if (take("{"))
        while (!take("}"))
          if (take().empty()) fail("a closing brace is missing");
    }
  }
  void add_name(std::vector<std::string_view>& list, NameMap& names) {
    const bool fresh = names.emplace(name_, static_cast<Index>(list.size())).second;
    check(fresh, "there is a second \"" + std::string(name_) + "\"");
    list.push_back(name_);
  }
  void add_link(const DirectedLink& link) {
    check(in_.link_at[link.from][link.port] == none, "this port is used twice");
    in_.link_at[link.from][link.port] = static_cast<Index>(in_.links.size());
    in_.links.push_back(link);
  }
};

}  // namespace weft::verifier
