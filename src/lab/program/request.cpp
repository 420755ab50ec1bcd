// SPDX-License-Identifier: Apache-2.0
// The fields of a run of a host program, and how each is read.
#include "lab/program/request.hpp"

#include "lab/cluster/machine_fields.hpp"

namespace weft {
namespace {

using S = ProgramSpec;
using R = ProgramRequest;

/// A program's Error names it already.
void read_program(std::string_view, const std::string& text, R& out) {
  out.program = program_from(text);
  out.spec.program = out.program.params.spec();
}

void read_until(std::string_view name, const std::string& text, R& out) {
  if (!text.empty()) out.until = parsed(name, text, duration_from);
}

}  // namespace

ProgramChoice program_from(std::string_view text) {
  const Spec spec = Spec::parse(text);
  const ProgramRow& row = find_row(programs(), "program", spec.name);
  return {&row, Params(spec, row.params)};
}

const std::vector<ProgramField>& program_fields() {
  static const std::vector<ProgramField> fields = with_machine_fields<S, R>(
      {
          {"program", &S::program, "such as barrier:algorithm=shio; see weft list programs",
           read_program},
          {"cluster", &S::cluster, "cluster file, or one of weft list clusters"},
      },
      {
          {"library", &S::library, "what carries their messages; weft list libraries"},
          {"hosts", &S::hosts,
           "so many of the fabric's, or names with commas between them;\nall "
           "without it"},
          {"ranks", &S::ranks, "on each host", whole_number(&R::ranks_per_host, 1, 4096)},
          {"faults", &S::faults,
           "what fails, in cycles of the network: link=s0:3@1000;\nswitch=s7@2000;errors=1e-9"},
          {"until", &S::until, "virtual time at which the run is cut short, such as 10ms",
           read_until},
          {"seed", &S::seed, "of random visiting orders and of bit errors",
           whole_number(&R::seed, std::uint64_t{0}, ~std::uint64_t{0})},
      });
  return fields;
}

ProgramRequest request_of(const ProgramSpec& spec) {
  ProgramRequest out;
  out.spec = spec;
  read_fields(spec, program_fields(), out);
  const FilledMachine machine =
      fill({spec.cluster, spec.topology, spec.engine, spec.switches, spec.nic, spec.library});
  out.machine = request_of(machine);
  assign_machine(out.spec, machine.spec);
  out.spec.library = machine.spec.library;
  return out;
}

std::string command_of(const ProgramSpec& spec) {
  return fmt::format("weft run{} {}", options_of(spec, program_fields(), {&S::program}),
                     shell_word(spec.program));
}

}  // namespace weft
