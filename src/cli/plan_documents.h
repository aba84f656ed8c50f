// The documents that `tenon plan` reads: YAML or JSON, several in a file, lists taken apart, gzip undone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tenon::cli {

struct Document {
  std::string file;         // "-" is standard input
  size_t number = 1;        // of the documents in the file that are not empty
  std::string path;         // inside the document, for members of a List: "items[3]"
  std::string group, kind;  // of apiVersion and kind
  std::string version;
  std::shared_ptr<const boost::json::value> object;

  // "pods.yaml: document 2: items[3].spec.x: what"; `what` starts with the path of a field, if it has one.
  std::string place(std::string_view what) const;
};

// A folder stands for its manifests. Errors: kInvalid, naming file, document and place; kNotFound: no such file.
Result<std::vector<Document>> read_documents(const std::vector<std::string>& files, std::istream& standard_input);
// A whole file ("-": standard input), uncompressed if it was gzip.
Result<std::string> read_text(const std::string& file, std::istream& standard_input);
// The documents of one text.
Result<std::vector<Document>> split_documents(const std::string& file, std::string_view text);

}  // namespace tenon::cli
