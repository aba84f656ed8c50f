// What is wrong with a document, and what a conversion cannot carry over.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tenon::legacy {

// An invalid field. to_string() has the form of the webhooks of v0.27: "invalid value: cannot be negative:
// spec.ttlSecondsAfterEmpty", with `details` on a second line.
struct FieldError {
  std::string message;  // "invalid value: cannot be negative"
  std::string path;     // "spec.ttlSecondsAfterEmpty"; several paths are separated by ", "
  std::string details = {};
  friend bool operator==(const FieldError&, const FieldError&) = default;
};
std::string to_string(const FieldError& error);

// A field of the input that the output does not have, or that means something else there, and what to do.
struct Note {
  std::string path;  // in the input: "spec.kubeletConfiguration.containerRuntime"
  std::string text;
  friend bool operator==(const Note&, const Note&) = default;
};

}  // namespace tenon::legacy
