// SPDX-License-Identifier: Apache-2.0
// Recognises the files of a subnet.
#include "fabric/infiniband/known_files.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "base/compressed.hpp"
#include "fabric/format/parsing/text.hpp"
#include "fabric/infiniband/adaptive_tables.hpp"
#include "fabric/infiniband/dump_words.hpp"
#include "fabric/infiniband/lane_settings.hpp"
#include "fabric/infiniband/multicast_tables.hpp"
#include "fabric/infiniband/qos_policy.hpp"
#include "fabric/infiniband/service_levels.hpp"

namespace weft::infiniband {
namespace {

namespace fs = std::filesystem;

constexpr std::array topology_formats{"weft", "ibnetdiscover", "subnet_lst", "db_csv"};
constexpr std::array unicast_formats{"weft", "opensm", "fdbs"};

/// The beginning of a file, decompressed.
std::string beginning(const std::string& path) {
  constexpr std::size_t enough = 1 << 20;
  std::ifstream file(path, std::ios::binary);
  std::string head(enough, '\0');
  file.read(head.data(), static_cast<std::streamsize>(enough));
  head.resize(static_cast<std::size_t>(file.gcount()));
  const bool compressed = head.starts_with("\x1f\x8b") || head.starts_with("\x28\xb5\x2f\xfd");
  return compressed ? read_source(path).text.substr(0, enough) : head;
}

template <class Formats, class Names>
std::optional<std::size_t> recognised(const Formats& formats, const Names& names,
                                      std::string_view text) {
  for (std::size_t i = 0; i < names.size(); ++i)
    for (const auto& format : formats)
      if (format.name == names[i] && format.recognises(text)) return i;
  return std::nullopt;
}

bool is_guid(std::string_view word) {
  return word.size() > 2 && word.size() <= 18 && word.starts_with("0x") &&
         guid_from(word).has_value();
}

/// What a file of OpenSM or ibdiagnet has that says nothing about routes; empty for other files.
std::string_view unneeded(const std::string& name, std::string_view text) {
  const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  const std::string_view line = first_line(text);
  const std::vector<std::string_view> words = words_of(line);
  if (name.ends_with(".conf") || has("# DEVICE ATTRIBUTES OPTIONS")) return "settings of OpenSM";
  if (line.starts_with("Switch: guid 0x")) return "numbers of hops";
  if (line.starts_with("MC Group 0x")) return "OpenSM's database";
  if (words.size() == 1 && is_guid(line)) return "a list of GUIDs, such as roots";
  if (words.size() == 2 && is_guid(words[0]) && is_guid(words[1])) return "management keys";
  if (words.size() == 2 && is_guid(words[0].substr(0, words[0].find(':'))) &&
      is_guid(words[1].substr(0, words[1].find(':'))))
    return "OpenSM's cache of neighbours";
  for (const char* counter :
       {"PortXmitData", "port_xmit_data", "SymbolErrorCounter", "symbol_error_counter", "XmtData"})
    if (has(counter)) return "counters of ports";
  return {};
}

/// Lines such as "0x0000000000200001 0x0001 0x0001": GUID, first and last LID.
bool recognises_lids(std::string_view text) {
  for (Lines lines(text); lines.next();) {
    std::string_view rest = trimmed(lines.text);
    if (rest.empty()) continue;
    const std::string_view guid = take_word(rest), first = take_word(rest), last = take_word(rest);
    return guid.size() == 18 && guid.starts_with("0x") && first.starts_with("0x") &&
           last.starts_with("0x") && rest.empty();
  }
  return false;
}

/// The line "ar_sl_mask 0xFFFF" of OpenSM's settings.
std::optional<unsigned> adaptive_levels(std::string_view text) {
  for (Lines lines(text); lines.next();) {
    std::string_view rest = trimmed(lines.text);
    if (take_word(rest) != "ar_sl_mask") continue;
    std::string_view mask = take_word(rest);
    if (mask.starts_with("0x") || mask.starts_with("0X")) mask.remove_prefix(2);
    return number_from<unsigned>(mask, 16);
  }
  return std::nullopt;
}

void recognise(KnownFile& file) {
  const std::string text = beginning(file.path);
  file.adaptive_levels = adaptive_levels(text);
  file.compressed = other_compression(text, file.path);
  if (!file.compressed.empty()) {
    file.unread = "not read: " + file.compressed;
    return;
  }
  // OpenSM leaves this one empty where there are no groups.
  if (text.empty() && file.name.find("mcfdbs") != std::string::npos) {
    file.kind = FileKind::multicast;
    return;
  }
  // Dumps of tables name switches in lines that a topology might have, so topologies come last.
  if (recognises_adaptive(text)) {
    file.kind = FileKind::adaptive;
  } else if (const auto tables = recognised(tables_formats(), unicast_formats, text)) {
    file.kind = FileKind::unicast;
    file.rank = *tables;
  } else if (recognises_multicast(text)) {
    file.kind = FileKind::multicast;
  } else if (recognises_lane_maps(text)) {
    file.kind = FileKind::lane_maps;
  } else if (recognises_path_levels(text)) {
    file.kind = FileKind::path_levels;
  } else if (recognises_lane_settings(text)) {  // dumps say what switches really use
    file.kind = FileKind::lane_maps;
    file.rank = 1;
  } else if (recognises_policy(text)) {
    file.kind = FileKind::path_levels;
    file.rank = 1;
  } else if (recognises_lids(text)) {
    file.kind = FileKind::lids;
  } else if (const auto rank = recognised(fabric_formats(), topology_formats, text)) {
    file.kind = FileKind::topology;
    file.rank = *rank;
  } else if (text.find(engine_mark) != std::string::npos) {
    file.kind = FileKind::log;
  } else {
    const std::string_view what = unneeded(file.name, text);
    file.unread =
        what.empty() ? "not read: nothing that is known here" : fmt::format("not needed: {}", what);
  }
}

std::vector<KnownFile> files_at(const std::string& place) {
  std::vector<KnownFile> files;
  if (fs::is_regular_file(place)) return {{place, fs::path(place).filename().string()}};
  std::error_code problem;
  for (const fs::directory_entry& entry : fs::directory_iterator(place, problem))
    if (entry.is_regular_file())
      files.push_back({entry.path().string(), entry.path().filename().string()});
  if (problem) throw Error("{}: cannot be read: {}", place, problem.message());
  std::sort(files.begin(), files.end(),
            [](const KnownFile& a, const KnownFile& b) { return a.name < b.name; });
  return files;
}

}  // namespace

std::vector<KnownFile> known_files(const std::string& place) {
  std::vector<KnownFile> files = files_at(place);
  for (KnownFile& file : files) recognise(file);
  return files;
}

std::vector<std::string> folders_with_topology(const std::string& folder) {
  constexpr std::size_t most = 64;  // a hint is not worth reading all that somebody has
  std::vector<std::string> out;
  std::size_t folders = 0;
  std::error_code problem;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, problem)) {
    if (!entry.is_directory(problem) || ++folders > most) continue;
    try {
      std::vector<KnownFile> files = files_at(entry.path().string());
      if (files.size() > most) continue;
      for (KnownFile& file : files) recognise(file);
      if (std::any_of(files.begin(), files.end(),
                      [](const KnownFile& file) { return file.kind == FileKind::topology; }))
        out.push_back(entry.path().string());
    } catch (const Error&) {  // nothing to propose there
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace weft::infiniband
