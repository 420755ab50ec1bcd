// SPDX-License-Identifier: Apache-2.0
// The calibration of clusters/qsnet.toml: six constants from six published numbers, one constant
// for one number in turn, by the secant method on the simulator itself.
#include <array>
#include <cmath>

#include "papers/qsnet/experiments.hpp"
#include "papers/runner/expected.hpp"
#include "papers/runner/fitting.hpp"

namespace weft::papers::qsnet {
namespace {

constexpr std::size_t constant_count = 6;
using Values = std::array<double, constant_count>;

struct ElanConstant {
  const char* name;
  const char* keys;  ///< of the spec; two if they share it
  bool of_library;
  const char* unit;
  double start, step;  ///< far from the solution; the least that makes a difference
  const char* stated;  ///< the number that fixes it
  const char* curve;
  std::size_t bytes;
  bool both;
  const char* about;
};
constexpr std::array<ElanConstant, constant_count> constants{{
    {"packet_header", "packet_header", false, "B", 30, 2, "fig6a/Elan-Elan", "Elan-Elan",
     QsnetStudy::longest, false, "bytes: route, check sum and end of a packet"},
    {"pci_setup", "pci_setup", false, "ns", 120, 1, "fig6a/read", "main-Elan", QsnetStudy::longest,
     false, "ns: before every burst of the PCI bus"},
    {"bus", "bus", false, "ns", 150, 1, "fig7/main-Elan", "main-Elan", QsnetStudy::longest, true,
     "ns: a block on the internal bus"},
    {"microcode", "microcode", false, "ns", 100, 1, "fig6b/0 B", "main-main", 0, false,
     "ns: a thread of the microcode processor"},
    {"match", "match", true, "ns", 1000, 1, "fig6b/Tports", "Tports", 0, false,
     "ns: the thread processor matches a tag"},
    {"layer", "send recv", true, "", 100, 1, "fig6b/MPI", "MPI", 0, false,
     "cycles: MPI's layers, either way"},
}};

/// A time that the constant makes longer: of a message, or for a byte.
double time_of(double number, std::size_t i) {
  return constants[i].bytes == 0 ? number : 1 / number;
}

/// The relative deviation of our time from the paper's.
double off(const QsnetContext& context, const Values& values, std::size_t i) {
  const QsnetStudy& study = context.study;
  const ElanConstant& constant = constants[i];
  const Curve& of = curve(constant.curve);
  ProgramSpec run = study.ping(of, constant.bytes, constant.both);
  run.nic = with_constants(study.cluster().nic, constants, values, false);
  run.library = with_constants(run.library.empty() ? study.cluster().library : run.library,
                               constants, values, true);
  const std::string wanted = constant.bytes > 0                        ? "bandwidth"
                             : std::string_view(of.library) == "elan3" ? "latency"
                                                                       : "one_way";
  const ProgramResult result = run_program(run);
  for (const Figure& figure : result.figures)
    if (figure.name == wanted)
      return time_of(figure.value, i) / time_of(value_of(context.stated, constants[i].stated), i) -
             1;
  invariant(false, "a ping without its figure");
  return 0;
}

/// Fits one constant after another, and all of them again: each has little effect on the numbers of
/// those before it.
Values fitted(const QsnetContext& context) {
  Values values{};
  for (std::size_t i = 0; i < constant_count; ++i) values[i] = constants[i].start;
  for (int turn = 0; turn < (context.study.quick() ? 2 : 3); ++turn)
    for (std::size_t i = 0; i < constant_count; ++i) {
      const double here = off(context, values, i);
      Values other = values;
      const double width = std::max(constants[i].step, std::round(values[i] / 8));
      other[i] += width;
      const double slope = (off(context, other, i) - here) / width;
      if (slope <= 0) continue;  // something else is slower
      const double least = constants[i].step, next = values[i] - here / slope;
      values[i] = std::max(least, std::round(next / least) * least);
    }
  return values;
}

}  // namespace

Section fit(const QsnetContext& context) {
  Answers answers(context.stated, "fit");
  const Values found = fitted(context);
  Values files{};
  Sheet sheet{"fit",
              "the constants from the six points, and as the cluster file has them",
              {"constant", "fitted", "file", "point", "off %", "of"}};
  double furthest = 0, worst = 0;
  for (std::size_t i = 0; i < constant_count; ++i)
    files[i] = written(context.study.cluster(), constants[i]);
  for (std::size_t i = 0; i < constant_count; ++i) {
    const double error = off(context, files, i);
    worst = std::max(worst, std::abs(error));
    furthest = std::max(furthest, std::abs(files[i] / found[i] - 1));
    sheet.rows.push_back({std::string(constants[i].name), found[i], files[i],
                          std::string(constants[i].stated), 100 * error,
                          std::string(constants[i].about)});
  }
  answers.claim("points", worst < 0.005,
                fmt::format("with the file's constants all six are within {:.2f} %", 100 * worst));
  answers.claim("found", furthest < 0.10,
                fmt::format("from a start far away, the secant method finds them within {:.1f} %",
                            100 * furthest));
  return {.id = "fit", .about = {}, .sheets = {sheet}, .answers = std::move(answers).done()};
}

}  // namespace weft::papers::qsnet
