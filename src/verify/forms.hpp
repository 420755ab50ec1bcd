// SPDX-License-Identifier: Apache-2.0
// FormReader: lines of known forms, which all three texts have.
#pragma once
#include "verify/words.hpp"

namespace weft::verifier {

class FormReader : protected WordReader {
 protected:
  explicit FormReader(VerifierInput& in) : in_(in) {}

  /// Reads the words of a form. Those in capital letters stand for values, and a * means any
  /// number of them, up to the next mark or the end of the line.
  void match(std::string_view form) {
    for (values_.clear(); !form.empty();) {
      const std::string_view word = form.substr(0, form.find(' '));
      form.remove_prefix(std::min(word.size() + 1, form.size()));
      const std::string_view kind = word.substr(0, word.find('*'));
      if (kind.front() < 'A' || kind.front() > 'Z')
        need(std::string(word));
      else if (kind == word)
        values_.push_back(value(kind));
      else
        while (!at_mark_or_end()) values_.push_back(value(kind));
    }
  }
  Index value(std::string_view kind) {
    if (kind == "SWITCH") return switch_ = known(in_.switch_called, "switch");
    if (kind == "NAME") return name_ = name(), none;
    if (kind == "HOST") return known(in_.host_called, "host");
    if (kind == "PORT") return port(1);
    if (kind == "IN" || kind == "OUT") return port(0);
    if (kind == "ANY_PORT") return whole(1, most_ports, "a port");
    if (kind == "PORTS") return whole(0, most_ports, "a number of ports");
    if (kind == "FREE")
      return whole(1, in_.link_at[switch_].size() - 1,
                   "a port (weft make FILE -o OTHER writes all)");
    if (kind == "LANES") return whole(1, 64, "a number of lanes");
    if (kind == "LEVELS") return whole(1, 256, "a number of levels");
    if (kind == "LEVEL") return whole(0, in_.usual.size() - 1, "a level");
    if (kind == "NUMBER") return take("-") ? none : whole(0, none - 1, "a number");
    if (kind == "NEXT_TAG") {
      tags_.emplace(next(), static_cast<Index>(in_.choices.size()));
      return need("g" + std::to_string(in_.choices.size() - 1)), none;  // the first is no group
    }
    if (kind == "GROUP_LANE") return take("lane") ? value("LANE") : none;
    if (kind == "GROUP_LEVEL")
      return values_.back() != none ? none
                                    : (need(in_.by_level ? "level" : "lane"), value("LEVEL"));
    if (kind == "SOURCE") return take("source") ? value("HOST") : none;
    if (kind == "ROOT") return take("root") ? value("SWITCH") : none;
    if (kind == "PATHS") return take("source") ? 1 : take("choices") ? 2 : (need("destination"), 0);
    if (kind == "WORMS") return take("worms") ? 2 : 1;
    if (kind == "PHASE") return whole(0, most_phases - 1, "a phase");
    if (kind == "REGION") return whole(0, none, "a region");
    if (kind == "WORD") return check(!take().empty(), "a word is missing"), none;
    if (kind == "SWITCHES") return take("switches") ? 1 : 0;
    if (kind == "MARK")
      for (const auto& [word, mark] :
           {std::pair{"=", keep}, {"+", plus}, {"-", minus}, {"x", never}})
        if (take(word)) return mark;
    return whole(0, in_.lanes - 1, "a lane of the tables");
  }
  /// A whole line of a form; one that is left out begins otherwise.
  void form(std::string_view words) {
    line_begins();
    match(words);
    end_line();
  }
  bool line(std::string_view words) {
    if (!line_begins() || next() != words.substr(0, words.find(' '))) return false;
    form(words);
    return true;
  }
  /// The values from a place on, as many as are needed.
  IndexList values_from(std::size_t place, std::size_t count, bool one_for_all) {
    IndexList out(values_.begin() + static_cast<std::ptrdiff_t>(place), values_.end());
    if (out.size() != count && !(one_for_all && out.size() == 1))
      fail(std::to_string(count) + " are needed here" + (one_for_all ? ", or one for all" : ""));
    return out;
  }
  Index port(Index least) {
    return whole(least, in_.link_at[switch_].size() - 1, "a port of the switch");
  }

  static constexpr Index most_ports = 65'000, most_phases = 8;
  VerifierInput& in_;
  IndexList values_{};       ///< of the form read last
  std::string_view name_{};  ///< that was read last
  Index switch_ = 0;         ///< that was read last
  NameMap tags_{};           ///< of source routes: their choices
};

}  // namespace weft::verifier
