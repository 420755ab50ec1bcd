// SPDX-License-Identifier: Apache-2.0
// A folder written beside the one that it is to replace: whole or not at all.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace weft::cli {

/// Where a folder named on the command line is, whether it exists or not: without a link or a
/// slash at its end.
std::filesystem::path folder_place(const std::string& name);

/// Throws Error unless there is nothing at the place, or a folder with files of these names alone.
void require_replaceable(const std::filesystem::path& place, const std::vector<std::string>& names);

/// A new folder, which is removed unless it has replaced the other.
class FolderDraft {
 public:
  /// Throws Error when there cannot be one.
  explicit FolderDraft(const std::filesystem::path& place);
  ~FolderDraft();
  FolderDraft(const FolderDraft&) = delete;
  FolderDraft& operator=(const FolderDraft&) = delete;
  const std::filesystem::path& path() const { return path_; }
  /// Throws Error when it cannot; then nothing has changed.
  void replace();

 private:
  std::filesystem::path place_, path_;
};

}  // namespace weft::cli
