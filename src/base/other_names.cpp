// SPDX-License-Identifier: Apache-2.0
// The table of names, and the notes of those that were used.
#include "base/other_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

namespace weft {
namespace {

struct OtherName {
  std::string_view theirs, ours;
};

constexpr std::array other_names{
    // routing engines of OpenSM and BookSim
    OtherName{"updn", "updown"},
    OtherName{"up_down", "updown"},
    OtherName{"ftree", "dmodk"},
    OtherName{"d-mod-k", "dmodk"},
    OtherName{"torus-2QoS", "dor"},
    OtherName{"torus-2qos", "dor"},
    OtherName{"dim_order", "dor"},
    OtherName{"min_hop", "minhop"},
    OtherName{"min_adapt", "min_adaptive"},
    OtherName{"ugal_l", "ugal"},
    OtherName{"o1turn", "xy_yx"},
    OtherName{"ar_updn", "updown_adaptive"},
    OtherName{"ar_ftree", "updown_adaptive"},
    // topologies
    OtherName{"fattree", "clos3"},
    OtherName{"fat_tree", "clos3"},
    OtherName{"fat-tree", "clos3"},
    OtherName{"kncube", "torus"},
    OtherName{"flatfly", "hyperx"},
    OtherName{"flattened_butterfly", "hyperx"},
    OtherName{"megafly", "dragonfly_plus"},
    OtherName{"fly", "tree"},
    OtherName{"jellyfish", "random_regular"},
    // traffic
    OtherName{"random", "uniform"},
    OtherName{"bitrev", "bit_reversal"},
    OtherName{"bitcomp", "complement"},
    OtherName{"neighbor", "neighbour"},
    OtherName{"hotspot", "hot_spot"},
    OtherName{"randperm", "permutation"},
    OtherName{"alltoall", "all_to_all"},
    OtherName{"bad_dragon", "adversarial"},
    // NICs
    OtherName{"infiniband", "hca"},
    OtherName{"mlx5", "hca"},
    OtherName{"connectx", "hca"},
};

struct NotesOfNames {
  std::mutex mutex;
  std::vector<std::string> texts;
};

NotesOfNames& notes() {
  static NotesOfNames all;
  return all;
}

}  // namespace

std::string_view our_name(std::string_view theirs) {
  const auto found = std::find_if(other_names.begin(), other_names.end(),
                                  [&](const OtherName& each) { return each.theirs == theirs; });
  return found == other_names.end() ? std::string_view() : found->ours;
}

void note_other_name(std::string_view theirs, std::string_view ours) {
  const std::string text = fmt::format("{}: taken as {}, the nearest that weft has", theirs, ours);
  const std::lock_guard lock(notes().mutex);
  std::vector<std::string>& texts = notes().texts;
  if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
}

std::vector<std::string> take_notes_of_names() {
  const std::lock_guard lock(notes().mutex);
  return std::exchange(notes().texts, {});
}

}  // namespace weft
