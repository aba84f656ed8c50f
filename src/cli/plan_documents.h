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
#include "json/stream.h"

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

// Receives documents in order.
class DocumentSink {
 public:
  virtual ~DocumentSink() = default;
  virtual void document(const Document& document) = 0;
  // Forget them: the reading begins again.
  virtual void restart() = 0;
};

// Reads object by object: no more of a large file is held than the sink keeps. Objects that an
// API server has stored may lack the members that no codec reads (plan_left_out.h). A folder is read as its manifests.
// Errors: kInvalid, naming file, document and place; kNotFound: no such file.
Status read_documents(const std::vector<std::string>& files, std::istream& standard_input, DocumentSink& sink);
// All of them, each with all that it says.
Result<std::vector<Document>> read_documents(const std::vector<std::string>& files, std::istream& standard_input);
// A whole file ("-": standard input), uncompressed if it was gzip.
Result<std::string> read_text(const std::string& file, std::istream& standard_input);
// The documents of one text.
Result<std::vector<Document>> split_documents(const std::string& file, std::string_view text);
// The same, handed over as those of a large file are. False: such a text is read as a whole.
Result<bool> stream_documents(const std::string& file, json::Source& source, DocumentSink& sink);

}  // namespace tenon::cli
