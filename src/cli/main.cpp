// SPDX-License-Identifier: Apache-2.0
// weft: the program. Every error becomes one line and exit code 2, a refusal exit code 1.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <new>

#include "base/error.hpp"
#include "base/other_names.hpp"
#include "cli/verbs.hpp"
#include "fabric/format/parsing/text.hpp"

namespace {

/// Which names were taken for others.
void print_notes() {
  for (const std::string& note : weft::take_notes_of_names())
    fmt::print(stderr, "weft: {}\n", note);
}

void print_error(const std::exception& error) {
  print_notes();
  fmt::print(stderr, "weft: {}\n", weft::one_line(error.what()));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int code = weft::cli::run(argc, argv);
    print_notes();
    std::cout.flush();
    if (!std::cout) throw weft::Error("standard output cannot be written");
    return code;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "weft: not enough memory for this\n");
  } catch (const weft::RefusedError& error) {
    print_error(error);
    return weft::cli::exit_found;
  } catch (const std::exception& error) {
    print_error(error);
  }
  return weft::cli::exit_wrong_input;
}
