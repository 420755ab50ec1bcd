// SPDX-License-Identifier: Apache-2.0
// The table of topics, and the page of all catalogues.
#include "cli/reference/topics.hpp"

#include <fmt/format.h>

#include <array>

#include "cli/reference/catalogues.hpp"

namespace weft::cli {
namespace {

constexpr std::array all_topics{
    Topic{
        "catalogues", 7, "every parameter of every entry of the catalogues",
        "A spec names an entry and its parameters: torus:dims=4x4,hosts=2. A time is written 25ns "
        "or 1.5us, a bandwidth 100Gb/s or 12.5GB/s, a size 512B or 4KiB, a share 0.2; a plain "
        "number of a delay counts cycles, of a length flits. weft list KIND NAME prints one "
        "entry, weft list KIND --json FILE writes them for programs.",
        catalogue_sections},
    Topic{"inputs", 5, "keys and columns of the files that weft reads",
          "Every key of every file that weft reads, with its values and meaning. A key that is not "
          "listed is an error, which names the line. Files are recognised by their content.",
          input_sections},
    Topic{"results", 5, "columns and keys of the files that weft writes",
          "Every column of the CSV files and every key of the JSON files that weft writes. A value "
          "without meaning is empty in CSV and null in JSON. In a key of JSON, [] stands for every "
          "item of a list; capital letters stand for a name.",
          result_sections},
    Topic{"options", 7, "arguments and options of every verb, exit codes",
          "weft VERB --help and weft help VERB print those of one verb.", option_sections},
};

}  // namespace

std::span<const Topic> topics() { return all_topics; }

ReferencePage page_of(const Topic& topic) {
  return {fmt::format("weft-{}", topic.name), topic.manual_section, std::string(topic.summary),
          std::string(topic.about), topic.sections()};
}

std::vector<ReferenceSection> catalogue_sections() {
  std::vector<ReferenceSection> out;
  for (const Listing& kind : listings()) {
    out.push_back({.title = std::string(kind.name), .about = std::string(kind.about)});
    const std::vector<ListedItem> items = kind.entries();
    ReferenceTable plain{{"name", "meaning"}, {}};
    for (const ListedItem& item : items)
      if (item.params.empty()) plain.lines.push_back({item.name, item.summary});
    out.back().table = std::move(plain);
    for (const ListedItem& item : items)
      if (!item.params.empty())
        out.push_back({.title = item.name,
                       .depth = 2,
                       .about = item.summary,
                       .table = table_of(item.params)});
  }
  return out;
}

}  // namespace weft::cli
