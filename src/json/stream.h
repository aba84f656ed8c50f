// Large texts, object by object: documents and the members of their `items` are handed over one at a time, and what
// nobody reads is left out, so that the memory does not grow with the text.
//
// These readers are stricter than json::parse() and json::parse_yaml(): what they do not take (an error in the text, or
// a form that is rare) ends with false, and the caller reads the text again with those. What they do take, they read
// as those do, but for what is left out. They check also the parts that are left out.
// Pure: the bytes come from a Source. One thread at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tenon::json {

// The bytes of a text, from its beginning.
class Source {
 public:
  virtual ~Source() = default;
  // At most `size` bytes; 0 only at the end.
  virtual Result<size_t> read(char* into, size_t size) = 0;
};

// Members of an object that are left out: those without `inside`, and those named there. Lists are looked into.
struct LeftOut {
  std::string_view name;
  std::vector<LeftOut> inside = {};
};

// Owns the memory of all that is in it; copies of its parts do not need it.
using SharedValue = std::shared_ptr<const boost::json::value>;

// The identity of an object as far as it has been read. A field is empty if it is not read yet or is no string.
struct Head {
  std::string kind, api_version;
  bool stored = false;  // it has a metadata.uid
};

class Receiver {
 public:
  virtual ~Receiver() = default;
  // Whether the items of a document that begins like this are handed over one by one.
  virtual bool takes_items(const Head& document) = 0;
  // Returns the members to leave out of an object with this head. The list must outlive the reading.
  virtual const std::vector<LeftOut>& left_out(const Head& object) = 0;
  // An item of the current document, of which `document` is known. False: the caller has to read the text as a whole.
  virtual bool item(SharedValue item, const Head& document) = 0;
  // A document that is not null. `items_taken`: its items were handed over, and are not in it. False: as above.
  virtual bool document(SharedValue document, bool items_taken) = 0;
};

// One JSON document. False: not taken. Errors: the source's.
Result<bool> stream_json(Source& source, Receiver& receiver);
// YAML documents. False: not taken. Errors: the source's.
Result<bool> stream_yaml(Source& source, Receiver& receiver);

}  // namespace tenon::json
