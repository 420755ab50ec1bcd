// SPDX-License-Identifier: Apache-2.0
// Folders replaced by renaming.
#include "cli/folder_draft.hpp"

#include <algorithm>
#include <random>

#include "base/error.hpp"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

/// A name beside the place that nobody has.
fs::path name_beside(const fs::path& place) {
  std::random_device chance;
  const std::string name = place.filename().string().substr(0, 200);
  return place.parent_path() / fmt::format(".{}.{:08x}{:08x}", name, chance(), chance());
}

[[noreturn]] void cannot_make(const fs::path& place, const std::error_code& why) {
  throw Error("{}: cannot be written: {}", place.string(), why.message());
}

}  // namespace

fs::path folder_place(const std::string& name) {
  std::error_code problem;
  fs::path place = fs::weakly_canonical(fs::absolute(name, problem), problem);
  if (problem) cannot_make(name, problem);
  return place.has_filename() ? place : place.parent_path();
}

void require_replaceable(const fs::path& place, const std::vector<std::string>& names) {
  std::error_code problem;
  if (!fs::exists(place, problem)) return;
  if (!fs::is_directory(place, problem))
    throw Error("{}: a folder is written, and this is a file", place.string());
  for (const fs::directory_entry& entry : fs::directory_iterator(place, problem))
    if (std::find(names.begin(), names.end(), entry.path().filename().string()) == names.end())
      throw Error("{}: has another file, {}; a folder of its own is needed", place.string(),
                  entry.path().filename().string());
  if (problem) throw Error("{}: cannot be read: {}", place.string(), problem.message());
}

FolderDraft::FolderDraft(const fs::path& place) : place_(place), path_(name_beside(place)) {
  std::error_code problem;
  if (!fs::create_directory(path_, problem)) cannot_make(place_, problem);
}

FolderDraft::~FolderDraft() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

void FolderDraft::replace() {
  std::error_code problem;
  const bool exists = fs::exists(place_, problem);
  const fs::path before = name_beside(place_);
  if (exists) fs::rename(place_, before, problem);
  if (problem) cannot_make(place_, problem);
  fs::rename(path_, place_, problem);
  if (problem) {
    std::error_code ignored;
    if (exists) fs::rename(before, place_, ignored);
    cannot_make(place_, problem);
  }
  path_.clear();
  if (exists) fs::remove_all(before, problem);
}

}  // namespace weft::cli
