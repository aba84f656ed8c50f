// The lines of a YAML or JSON text, by document and path: for messages about fields of documents that were parsed.
//
//   YamlLines lines(text);
//   lines.of(2, "spec.requirements[0].values[1]")   // 17
//
// A path has the spelling of an API server: members with dots or brackets, items and keys of maps in brackets
// ("metadata.labels[karpenter.sh/nodepool]"). Thread rule: any thread after construction.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::json {

class YamlLines {
 public:
  // A text that is not YAML has the lines before the first error.
  explicit YamlLines(std::string_view text);
  // Returns the line, from 1, of the part of the path that the document has; 0 if there is no such document. Non-empty
  // documents count from 1.
  size_t of(size_t document, std::string_view path) const;

 private:
  using Lines = std::map<std::vector<std::string>, size_t>;  // by the parts of the path
  std::vector<Lines> documents_;
};

}  // namespace tenon::json
