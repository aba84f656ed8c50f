// The bytes of the files that `tenon plan` reads: of a file, of standard input, gzip undone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/stream.h"

namespace tenon::cli {

// Opens files, each as often as wanted. Standard input ("-") and pipes come once: what they say is kept.
class Sources {
 public:
  explicit Sources(std::istream& standard_input) : standard_input_(standard_input) {}
  // From the beginning, uncompressed if it is gzip. Errors: kNotFound: no such file; kInvalid. The source's: kInvalid,
  // without the name of the file: damaged or cut gzip data, or more than 4 GiB.
  Result<std::unique_ptr<json::Source>> open(const std::string& file);

 private:
  Result<std::unique_ptr<json::Source>> open_packed(const std::string& file);

  std::istream& standard_input_;
  std::map<std::string, std::string> kept_;  // by file
};

// Reads the rest of a source, at most `most` bytes.
Result<std::string> read_some(json::Source& source, size_t most);

// A text that was read, and then the rest of its source.
class ResumedSource final : public json::Source {
 public:
  ResumedSource(std::string_view text, json::Source& rest) : text_(text), rest_(rest) {}
  Result<size_t> read(char* into, size_t size) override;

 private:
  std::string_view text_;
  json::Source& rest_;
};

}  // namespace tenon::cli
