// The bytes of the files that `tenon plan` reads: from a file or standard input, gzip decompressed.
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

// Opens files, each any number of times. Standard input ("-") and pipes can be read only once: their content is kept.
class Sources {
 public:
  explicit Sources(std::istream& standard_input) : standard_input_(standard_input) {}
  // Returns a source from the beginning of the file, decompressed if it is gzip. Errors: kNotFound: no such file;
  // kInvalid. Errors of the source: kInvalid, without the file's name: damaged or truncated gzip data, or more than 4
  // GiB.
  Result<std::unique_ptr<json::Source>> open(const std::string& file);

 private:
  Result<std::unique_ptr<json::Source>> open_packed(const std::string& file);

  std::istream& standard_input_;
  std::map<std::string, std::string> kept_;  // by file
};

// Reads the rest of a source, at most `most` bytes.
Result<std::string> read_some(json::Source& source, size_t most);

// A text that was already read, followed by the rest of its source.
class ResumedSource final : public json::Source {
 public:
  ResumedSource(std::string_view text, json::Source& rest) : text_(text), rest_(rest) {}
  Result<size_t> read(char* into, size_t size) override;

 private:
  std::string_view text_;
  json::Source& rest_;
};

}  // namespace tenon::cli
