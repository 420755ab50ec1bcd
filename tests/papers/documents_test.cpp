// SPDX-License-Identifier: Apache-2.0
// docs/reference/papers: the results there are those of full runs, not typed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>
#include <sstream>

#include "papers/pages.hpp"
#include "support/files.hpp"
#include "support/paths.hpp"

namespace weft::papers {
namespace {

std::string document_of(const std::string& paper) {
  return testing::read_file(weft::testing::source_dir() / "docs/reference/papers" /
                            (paper + ".md"));
}

/// A section as update.sh writes it: figures are in the folder of the paper.
std::string written(const std::string& paper, const Section& section) {
  std::ostringstream out;
  write_markdown(out, section);
  return std::regex_replace(out.str(), std::regex(R"(\]\(([^/)]*\.svg)\))"), "](" + paper + "/$1)");
}

void expect_documented(const std::string& request) {
  const std::string paper = request.substr(0, request.find('/'));
  const std::string document = document_of(paper);
  const Page page = reproduce(request, {.threads = 2});
  for (const Section& section : page.sections)
    EXPECT_NE(document.find(written(paper, section)), std::string::npos)
        << "docs/reference/papers/" << paper << ".md has other results than weft reproduce "
        << paper << '/' << section.id << "; docs/reference/papers/update.sh writes them anew:\n"
        << written(paper, section);
  if (request != paper) return;
  EXPECT_NE(document.find('`' + summary(page) + '`'), std::string::npos) << summary(page);
}

/// Those that take little time, and in long tests all.
TEST(Documents, HaveTheResultsOfFullRuns) {
  for (const char* request :
       {"ibamesh/lids", "ibamesh/mft", "ibamesh/deadlock", "viabarrier/shm", "rhinet2/table1",
        "rhinet2/table3", "rhinet2/fig6", "gmqos/table3.1", "gmqos/fig5.7", "qsnet/vm",
        "qsnet/fig6b", "hardware/azure_hbv3", "hardware/alps2022_far", "hardware/loggp",
        "hardware/dissemination", "hardware/marenostrum5", "hardware/missing", "hardware/fit",
        "hardware/summary"})
    expect_documented(request);
  if (std::getenv("WEFT_LONG") == nullptr) return;
  for (const Paper& paper : papers()) expect_documented(std::string(paper.name));
}

TEST(Documents, HaveAResultForEveryExperiment) {
  for (const Paper& paper : papers()) {
    const std::string document = document_of(std::string(paper.name));
    for (const Experiment& experiment : paper.experiments)
      EXPECT_NE(document.find(fmt::format("\n### {}: ", experiment.name)), std::string::npos)
          << paper.name << '/' << experiment.name;
  }
}

/// What is written by hand names no number of ours: these would grow stale.
TEST(Documents, AreWrittenByHandUpToTheResults) {
  for (const Paper& paper : papers()) {
    const std::string document = document_of(std::string(paper.name));
    const std::string by_hand = document.substr(0, document.find("\n## Results\n"));
    EXPECT_NE(by_hand.size(), document.size()) << paper.name;
    for (const char* word : {"| ours", "**holds**", "**fails**", "predictions within"})
      EXPECT_EQ(by_hand.find(word), std::string::npos) << paper.name << ": " << word;
  }
}

}  // namespace
}  // namespace weft::papers
