// SPDX-License-Identifier: Apache-2.0
// The text of an Error, for tests.
#pragma once
#include <string>

#include "base/error.hpp"

namespace weft::test {

/// The text of the Error that `action` throws.
template <class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "(no error)";
}

}  // namespace weft::test
