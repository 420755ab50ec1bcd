// SPDX-License-Identifier: Apache-2.0
// weft sample: files of a real tool to try weft on, written to a folder.
#include <filesystem>
#include <iostream>
#include <memory>

#include "base/catalog.hpp"
#include "base/files.hpp"
#include "cli/verbs.hpp"
#include "lab/embedded.hpp"

namespace weft::cli {
namespace {

struct SampleRow {
  std::string_view name, summary;
};
constexpr std::array samples{
    SampleRow{"irr16",
              "16 irregular InfiniBand switches with 64 hosts, and OpenSM's up*/down* tables"},
    SampleRow{"mesh4x4",
              "16 InfiniBand switches in a mesh with a host each, and OpenSM's DFSSSP tables"},
    SampleRow{"npb", "traces of the NAS Parallel Benchmarks with 16 to 64 ranks, to replay"}};

void write_sample(const SampleRow& sample, const std::string& folder) {
  for (const auto& files : {embedded_samples(), embedded_traces()})
    for (const EmbeddedFile& file : files) {
      if (!file.name.starts_with(std::string(sample.name) + "/")) continue;
      const std::filesystem::path path =
          std::filesystem::path(folder) / file.name.substr(sample.name.size() + 1);
      std::error_code problem;
      std::filesystem::create_directories(path.parent_path(), problem);
      if (problem) throw Error("{}: {}", path.parent_path().string(), problem.message());
      write_file(path, [&](std::ostream& out) { out << file.text; });
      std::cout << path.string() << '\n';
    }
}

}  // namespace

Action add_sample(Arguments& arguments) {
  struct SampleArguments {
    std::string name, folder;
  };
  auto options = std::make_shared<SampleArguments>();
  arguments.optional("name", options->name, "which; without it, they are listed");
  arguments.option("-o,--output DIR", options->folder, "the folder to write; otherwise its name");
  return [options] {
    if (options->name.empty()) {
      for (const SampleRow& sample : samples)
        std::cout << fmt::format("{}  {}\n", sample.name, sample.summary);
      return exit_fine;
    }
    const SampleRow& sample =
        find_row(std::span<const SampleRow>(samples), "sample", options->name);
    write_sample(sample, options->folder.empty() ? options->name : options->folder);
    return exit_fine;
  };
}

}  // namespace weft::cli
