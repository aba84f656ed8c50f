// The documents that `tenon plan` reads: YAML or JSON, several per file, lists split, gzip decompressed.
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
  size_t number = 1;        // among the non-empty documents of the file
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
  // Discards all documents: reading restarts.
  virtual void restart() = 0;
};

// Reads object by object: of a large file, only what the sink keeps stays in memory. Objects that an API server has
// stored may lack the members that no codec reads (kube/codec/left_out.h). A folder represents its manifests. Errors:
// kInvalid, naming file, document and place; kNotFound: no such file.
Status read_documents(const std::vector<std::string>& files, std::istream& standard_input, DocumentSink& sink);
// Returns all documents with all their members.
Result<std::vector<Document>> read_documents(const std::vector<std::string>& files, std::istream& standard_input);
// Returns the files: for a folder, the manifests directly in it, as kubectl reads it.
Result<std::vector<std::string>> manifest_files(const std::vector<std::string>& paths);
// Returns a whole file ("-": standard input), decompressed if it is gzip.
Result<std::string> read_text(const std::string& file, std::istream& standard_input);
// Returns the documents of one text.
Result<std::vector<Document>> split_documents(const std::string& file, std::string_view text);
// The same, streamed as for a large file. Returns false if the text must be read as a whole.
Result<bool> stream_documents(const std::string& file, json::Source& source, DocumentSink& sink);

}  // namespace tenon::cli
