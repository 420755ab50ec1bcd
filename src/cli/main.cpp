// SPDX-License-Identifier: Apache-2.0
// weft: the program. Every error becomes one line and exit code 2.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>

#include "cli/verbs.hpp"

int main(int argc, char** argv) {
  try {
    return weft::cli::run(argc, argv);
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "weft: not enough memory for this\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "weft: {}\n", error.what());
  }
  return weft::cli::exit_wrong_input;
}
