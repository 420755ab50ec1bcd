// SPDX-License-Identifier: Apache-2.0
// weft import: an InfiniBand subnet from the dumps of its subnet manager.
#include <filesystem>
#include <memory>
#include <ostream>

#include "base/files.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/simulation.hpp"
#include "cli/subnet.hpp"
#include "cli/verbs.hpp"
#include "fabric/format/format.hpp"
#include "lab/booksim/translation.hpp"
#include "lab/progress.hpp"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

void write_subnet(const infiniband::Subnet& subnet, const std::string& folder,
                  std::ostream& human_output) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) throw Error("{}: cannot be made: {}", folder, problem.message());
  const auto write = [&](const char* name, const std::string& what, auto&& writer) {
    const std::string path = (fs::path(folder) / name).string();
    write_file(path, writer);
    human_output << fmt::format("wrote {}: {}\n", path, what);
  };
  write("fabric.toml", "the fabric", [&](std::ostream& out) {
    find_format(fabric_formats(), "weft").write(out, subnet.fabric);
  });
  if (subnet.tables)
    write("tables.weft", "its tables", [&](std::ostream& out) {
      find_format(tables_formats(), "weft").write(out, subnet.fabric, *subnet.tables);
    });
  if (!subnet.adaptive.empty())
    write("adaptive.far", "its adaptive groups",
          [&](std::ostream& out) { infiniband::write_adaptive(out, subnet.adaptive); });
}

}  // namespace

infiniband::Subnet read_subnet(const std::string& folder) {
  ProgressLine line(stderr);
  line(std::nullopt, "reading " + folder);
  return infiniband::import_folder(folder);
}

void print_notes(const std::vector<std::string>& notes, std::ostream& human_output) {
  for (const std::string& note : notes) human_output << fmt::format("note: {}\n", note);
}

void print_gaps(const infiniband::Subnet& subnet, std::ostream& human_output) {
  print_notes(subnet.notes, human_output);
  for (const std::string& gap : subnet.missing) human_output << fmt::format("missing: {}\n", gap);
}

namespace {

struct ImportArguments {
  std::string folder, configuration, out;
  std::vector<std::string> settings;
  bool run = false, nearest = false;
};

/// With settings such as "num_vcs=4" as further lines: they override those of the file.
Source with_settings(Source configuration, const std::vector<std::string>& settings) {
  if (!settings.empty() && !configuration.text.ends_with('\n')) configuration.text += '\n';
  for (const std::string& setting : settings) {
    if (setting.find('=') == std::string::npos)
      throw Error("import: \"{}\" is no setting of BookSim 2; write key=value", setting);
    configuration.text += setting + ";\n";
  }
  return configuration;
}

/// A configuration of BookSim 2 as a command, or its result.
int import_booksim(const ImportArguments& options) {
  if (!options.out.empty())
    throw Error("import: --output is for the dumps of a subnet; --run runs a configuration");
  const Source source = with_settings(read_source(options.configuration), options.settings);
  const booksim::Configuration configuration(source);
  const booksim::TranslatedConfiguration translation = booksim::translated(
      configuration, options.nearest ? booksim::Likeness::nearest : booksim::Likeness::exact);
  const std::string verdict = [&] {
    ProgressLine line(stderr);
    return booksim::verdict_on(translation, configuration,
                               [&](const std::string& what) { line(std::nullopt, what); });
  }();
  std::ostream& human_output = prepare_outputs({}, {});
  human_output << booksim::command_of(translation) << '\n';
  // As comments, so that a shell can read all of it.
  for (const std::string& note : translation.notes) human_output << fmt::format("# {}\n", note);
  human_output << fmt::format("# {}\n", verdict);
  if (!options.run) return exit_fine;
  human_output << '\n';
  return simulate_and_print(translation.spec, translation.seeds, human_output);
}

}  // namespace

Action add_import(Arguments& arguments) {
  auto options = std::make_shared<ImportArguments>();
  arguments.required("folder", options->folder,
                     "with dumps of a subnet, under any names, compressed or not (or only\n"
                     "one of them, a file):\n"
                     "ibnetdiscover, opensm-lfts.dump, dump_fts, .fdbs, .lst, .mcfdbs,\n"
                     "sl2vl, .slvl, .psl, guid2lid, .db_csv, .far, opensm.conf, QoS\n"
                     "policies; or the word booksim, and then a configuration file");
  arguments.optional("config", options->configuration,
                     "after the word booksim: a configuration file of BookSim 2");
  arguments.rest("settings", options->settings,
                 "and what overrides it, as booksim takes it: injection_rate=0.3");
  arguments.option("-o,--output FOLDER", options->out,
                   "write fabric.toml and tables.weft into this folder");
  arguments.flag("--run", options->run, "of booksim: run it");
  arguments.flag("--nearest", options->nearest,
                 "of booksim: take what is nearest where nothing is the same, and say so");
  return [options] {
    if (!options->configuration.empty()) {
      if (options->folder != "booksim")
        throw Error("import: {} is too much; weft import booksim CONFIG has two words",
                    options->configuration);
      return import_booksim(*options);
    }
    if (options->run || options->nearest)
      throw Error("import: --run and --nearest belong to weft import booksim CONFIG");
    if (!fs::is_directory(options->folder) && !fs::is_regular_file(options->folder))
      throw Error("{}: a folder with the dumps of a subnet is needed", options->folder);
    if (fs::exists(options->out) && fs::equivalent(options->out, options->folder))
      throw Error("{}: this folder is read as well: what is written needs one of its own",
                  options->out);
    std::ostream& human_output = prepare_outputs({}, {});
    const infiniband::Subnet subnet = read_subnet(options->folder);
    std::size_t width = 0;
    for (const auto& file : subnet.files) width = std::max(width, file.name.size());
    for (const auto& file : subnet.files)
      human_output << fmt::format("{:<{}}  {}\n", file.name, width, file.what);
    print_gaps(subnet, human_output);
    if (!options->out.empty()) write_subnet(subnet, options->out, human_output);
    return exit_fine;
  };
}

}  // namespace weft::cli
