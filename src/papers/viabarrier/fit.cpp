// SPDX-License-Identifier: Apache-2.0
// The calibration of the VIA barrier clusters: five constants from five published times, by
// Newton's method on the simulator itself. The constants are the same in all three clusters; what
// differs between them (clocks, hosts, switches) is declared.
#include <cmath>

#include "lab/parallel.hpp"
#include "papers/runner/expected.hpp"
#include "papers/runner/fitting.hpp"
#include "papers/viabarrier/experiments.hpp"

namespace weft::papers::viabarrier {
namespace {

constexpr std::size_t count = 5;
using Values = std::array<double, count>;

struct BarrierConstant {
  const char* name;
  const char* keys;  ///< of the spec; two if they share it
  bool of_library;
  const char* unit;  ///< after the number
  double start;
  const char* about;
};
constexpr std::array<BarrierConstant, count> constants{{
    {"post", "post", false, "", 2000, "cycles: descriptor, doorbell"},
    {"process", "process", false, "ns", 1000, "ns: NIC, a message or packet"},
    {"receive", "receive", false, "ns", 1000, "ns: NIC, a receive descriptor"},
    {"layer", "send recv", true, "", 1000, "cycles: MVICH's layers, either way"},
    {"check", "check", true, "", 50, "cycles: MVICH, each connection"},
}};

struct FitPoint {
  const char* stated;
  int cluster;
  const char* algorithm;
  int hosts, tasks;
};
constexpr std::array<FitPoint, count> points{{
    {"fig4a/rdma", 1, rdma, 8, 1},
    {"fig4b/rdma", 2, rdma, 8, 1},
    {"fig4a/send-recv", 1, send_recv, 8, 1},
    {"fig4b/send-recv", 2, send_recv, 8, 1},
    {"fig6/send-recv", 3, send_recv, 32, 2},
}};

/// How far the simulated points are from the paper's, in microseconds.
Values residuals(const ViabarrierContext& context, const Values& values) {
  const ViabarrierStudy& study = context.study;
  Values out{};
  for (std::size_t i = 0; i < count; ++i) {
    const FitPoint& point = points[i];
    const Cluster& cluster = study.cluster(point.cluster);
    const ProgramResult result = run_program(
        {.program = fmt::format("barrier:algorithm={},iterations=10,warmup=5", point.algorithm),
         .cluster = study.name(point.cluster),
         .nic = with_constants(cluster.nic, constants, values, false),
         .library = with_constants(cluster.library, constants, values, true),
         .hosts = std::to_string(point.hosts),
         .ranks = std::to_string(point.tasks)});
    out[i] = static_cast<double>(result.rank_means.mean.count()) / 1e6 -
             value_of(context.stated, point.stated);
  }
  return out;
}

/// Solves matrix * x = right by elimination with pivots.
Values solve(std::array<Values, count> matrix, Values right) {
  for (std::size_t column = 0; column < count; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column; row < count; ++row)
      if (std::abs(matrix[row][column]) > std::abs(matrix[pivot][column])) pivot = row;
    std::swap(matrix[column], matrix[pivot]);
    std::swap(right[column], right[pivot]);
    for (std::size_t row = 0; row < count; ++row) {
      if (row == column) continue;
      const double factor = matrix[row][column] / matrix[column][column];
      for (std::size_t k = column; k < count; ++k) matrix[row][k] -= factor * matrix[column][k];
      right[row] -= factor * right[column];
    }
  }
  for (std::size_t i = 0; i < count; ++i) right[i] /= matrix[i][i];
  return right;
}

/// Newton's method with differences wide enough that the network's cycle does not show in them.
Values fitted(const ViabarrierContext& context) {
  Values values{}, here{};
  for (std::size_t i = 0; i < count; ++i) values[i] = constants[i].start;
  for (int turn = 0; turn < 8; ++turn) {
    std::array<Values, count> slopes{}, moved{};
    Values widths{};
    in_parallel(count + 1, context.study.lab().threads, [&](std::size_t i) {
      if (i == count) {
        here = residuals(context, values);
        return;
      }
      Values other = values;
      widths[i] = std::max(values[i] / 4, 10.0);
      other[i] += widths[i];
      moved[i] = residuals(context, other);
    });
    double worst = 0;
    for (std::size_t row = 0; row < count; ++row) {
      worst = std::max(worst, std::abs(here[row]) / value_of(context.stated, points[row].stated));
      for (std::size_t i = 0; i < count; ++i)
        slopes[row][i] = (moved[i][row] - here[row]) / widths[i];
    }
    if (worst < 0.001) break;
    const Values step = solve(slopes, here);
    // No value drops by more than half: far from the solution the model is not linear.
    for (std::size_t i = 0; i < count; ++i)
      values[i] -= std::clamp(step[i], -values[i], values[i] / 2);
    for (double& value : values) value = std::max(value, 1.0);
  }
  return values;
}

}  // namespace

Section fit(const ViabarrierContext& context) {
  const ViabarrierStudy& study = context.study;
  Answers answers(context.stated, "fit");
  const Values found = fitted(context);
  Values files{};
  Sheet sheet{"fit",
              "the constants from the five points, and as the cluster files have them",
              {"constant", "fitted", "file", "of"}};
  double furthest = 0;
  bool same = true;
  for (std::size_t i = 0; i < count; ++i) {
    files[i] = written(study.cluster(1), constants[i]);
    for (const int cluster : {2, 3})
      same = same && written(study.cluster(cluster), constants[i]) == files[i];
    furthest = std::max(furthest, std::abs(files[i] / found[i] - 1));
    sheet.rows.push_back(
        {std::string(constants[i].name), found[i], files[i], std::string(constants[i].about)});
  }
  const Values off = residuals(context, files);
  double worst = 0;
  for (std::size_t i = 0; i < count; ++i)
    worst = std::max(worst, std::abs(off[i]) / value_of(context.stated, points[i].stated));
  answers.claim("points", worst < 0.005,
                fmt::format("with the files' constants all five are within {:.2f} %", 100 * worst));
  answers.claim("found", furthest < 0.10,
                fmt::format("from a start far away, Newton's method finds them within {:.1f} %",
                            100 * furthest));
  answers.claim("same", same, "five constants for five points, none for a cluster alone");
  return {.id = "fit", .about = {}, .sheets = {sheet}, .answers = std::move(answers).done()};
}

}  // namespace weft::papers::viabarrier
