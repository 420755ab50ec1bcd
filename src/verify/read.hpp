// SPDX-License-Identifier: Apache-2.0
// Reads fabrics, tables and certificates by the forms of docs/certificate.md, for verify.cpp.
#pragma once
#include "verify/read_fabric.hpp"
#include "verify/read_tables.hpp"

namespace weft::verifier {

class CertificateReader : FormReader {
 public:
  explicit CertificateReader(VerifierInput& in) : FormReader(in) {}

  void read(const InputText& text) {
    begin(text, " \t\r", ":,|");
    form("weft certificate 1");
    form("lanes LANES");
    in_.certificate_lanes = values_[0];
    if (line("choices some WORMS")) in_.proof = static_cast<ProofKind>(values_[0]);
    in_.number.assign(in_.links.size() * in_.certificate_lanes, none);
    for (std::set<Index> listed; line_begins();) {
      form("SWITCH PORT : NUMBER*");
      const Index link = in_.link_at[values_[0]][values_[1]];
      check(link != none, "this port leads nowhere");
      check(listed.insert(link).second, "this port has a second line");
      const IndexList numbers = values_from(2, in_.certificate_lanes, false);
      const bool alone =
          std::count(numbers.begin() + 1, numbers.end(), none) + 1 == in_.certificate_lanes;
      check(link >= in_.hosts.size() || alone, "a link to a host has one number, and then -");
      std::copy(numbers.begin(), numbers.end(), &in_.number[link * numbers.size()]);
    }
  }
};

/// The views in it refer to the texts.
inline VerifierInput read(const InputText& fabric, const InputText& tables,
                          const InputText& certificate) {
  VerifierInput in;
  FabricReader(in).read(fabric);
  TableReader(in).read(tables);
  CertificateReader(in).read(certificate);
  return in;
}

}  // namespace weft::verifier
