// Reads large texts object by object: hands documents and the members of their `items` over one at a time and leaves
// out the members that no caller reads, so that the memory does not grow with the text.
//
// These readers are stricter than json::parse() and json::parse_yaml(). For input that they do not accept (an error in
// the text, or a rare form) they return false, and the caller reads the text again with those functions. The results
// are equal for accepted input, except for the members that are left out. Those members are checked as well.
// Pure: the bytes come from a Source. One thread at a time.
// json_stream.cc and yaml_stream.cc define the two readers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tenon::json {

// The bytes of a text, from its start.
class Source {
 public:
  virtual ~Source() = default;
  // Reads at most `size` bytes; returns 0 only at the end.
  virtual Result<size_t> read(char* into, size_t size) = 0;
};

// Members of an object that are left out: those without `inside`, and those named there. Applies to each item of a
// list.
struct LeftOut {
  std::string_view name;
  std::vector<LeftOut> inside = {};
};

// Owns the memory of the whole value; copies of its parts do not depend on it.
using SharedValue = std::shared_ptr<const boost::json::value>;

// The identity of an object, as far as it has been read. A field is empty if it has not been read or is not a string.
struct Head {
  std::string kind, api_version;
  bool stored = false;  // it has a metadata.uid
};

class Receiver {
 public:
  virtual ~Receiver() = default;
  // Returns whether the items of a document with this head are handed over one by one.
  virtual bool takes_items(const Head& document) = 0;
  // Returns the members to leave out of an object with this head. The list must outlive the read.
  virtual const std::vector<LeftOut>& left_out(const Head& object) = 0;
  // An item of the current document, whose head so far is `document`. False: the caller must read the text as a whole.
  virtual bool item(SharedValue item, const Head& document) = 0;
  // A document that is not null. `items_taken`: its items were handed over and are not part of it. False: as above.
  virtual bool document(SharedValue document, bool items_taken) = 0;
};

// Reads one JSON document. False: not accepted. Errors: the source's.
Result<bool> stream_json(Source& source, Receiver& receiver);
// The same for a text in memory, which is not copied.
bool stream_json(std::string_view text, Receiver& receiver);
// The same for one text after the other. Each uses the memory of the text before it, if its document is released.
class JsonReader {
 public:
  explicit JsonReader(Receiver& receiver);  // borrows it
  ~JsonReader();
  bool read(std::string_view text);

 private:
  struct Parser;
  Receiver& receiver_;
  std::unique_ptr<Parser> parser_;
};
// Reads YAML documents. False: not accepted. Errors: the source's.
Result<bool> stream_yaml(Source& source, Receiver& receiver);

}  // namespace tenon::json
