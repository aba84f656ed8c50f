// Text files of data/kubernetes, compiled into the binary: types, resources and printer columns. All of them have lines
// of words.
//
//   # a comment
//   Node                             a record: the line at the margin is its head
//     "Nominated Node"  string  1    an entry of the record: an indented line
//
// Words are separated by spaces. Double quotes around a word allow spaces in it; there are no escapes. The header
// comment of each file says what its words mean; each reader (type_files.h, builtin_resources.h, columns.h) rejects
// words that it does not know. Lines of words rather than YAML: a fault names its line, and a file is read in
// microseconds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace tenon::kubesim::apiserver {

struct DataFile {
  std::string name;  // "types/core.txt"
  std::string_view text;
};

struct DataLine {
  size_t number = 0;  // from 1
  std::vector<std::string_view> words;
};

struct DataRecord {
  DataLine head;
  std::vector<DataLine> entries;
};

// Where a word comes from, for messages. The views are those of the file.
struct DataPlace {
  std::string_view file;
  size_t line = 0;
  std::string_view record = {}, field = {};  // "ServiceSpec", "ports"; empty: the message has none
};

// Returns the records in order; their words are views of the text. Errors: kInvalid, a fault().
Result<std::vector<DataRecord>> read_records(const DataFile& file);

// Returns the error kInvalid "types/core.txt:17: ServiceSpec: ports: unknown mark 'sorted'".
tl::unexpected<Error> fault(const DataPlace& place, std::string_view cause);

// Returns "'word'", for messages.
std::string in_quotes(std::string_view word);

// Returns files that tenon_embed compiled in, with their folder below data/kubernetes in front of the name ("types/").
std::vector<DataFile> embedded_files(std::string_view folder,
                                     const std::vector<std::pair<std::string_view, std::string_view>>& files);

}  // namespace tenon::kubesim::apiserver
