// SPDX-License-Identifier: Apache-2.0
// weft-verify: does a certificate hold?
#include <fstream>
#include <iostream>
#include <sstream>

#include "verify/verify.hpp"

namespace {

constexpr auto help =
    "usage: weft-verify FABRIC TABLES CERTIFICATE | --help | --version\n"
    "Verifies that a certificate proves the routes of a fabric free of deadlocks; all three are\n"
    "text in weft's own forms, of files or, where one is -, of standard input.\n"
    "Exit code 0: it holds; 1: it does not; 2: wrong input.\n"
    "Example: weft make torus:dims=4x4 -o t.toml; weft route t.toml dor -o t.tables \\\n"
    "         --certificate t.cert; weft-verify t.toml t.tables t.cert\n";

std::string contents(const char* path) {
  std::ifstream file(path == std::string_view("-") ? "/dev/stdin" : path, std::ios::binary);
  std::ostringstream text;
  file.peek();  // finds out whether it is a folder
  if (file.is_open() && !file.bad() && !(text << file.rdbuf()).bad()) return text.str();
  throw std::runtime_error(path + std::string(": cannot be read"));
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string_view word = argc == 2 ? argv[1] : "";
  if (word == "--help") return (std::cout << help) ? 0 : 2;
  if (word == "--version") return (std::cout << "weft-verify " WEFT_VERSION "\n") ? 0 : 2;
  if (argc != 4) throw std::runtime_error("three files are needed; see weft-verify --help");
  const std::string texts[] = {contents(argv[1]), contents(argv[2]), contents(argv[3])};
  const auto [proof, claim, wrong] =
      weft::verifier::judge({argv[1], texts[0]}, {argv[2], texts[1]}, {argv[3], texts[2]});
  std::cout << "the certificate " << (wrong ? "does not hold: " + *wrong : "holds: " + claim)
            << std::endl;
  return !std::cout ? 2 : wrong ? 1 : 0;
} catch (const std::exception& error) {
  std::cerr << "weft-verify: " << error.what() << '\n';
  return 2;
}
