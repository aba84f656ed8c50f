// What the recorded server and this one call the same thing: uids, resource versions, generated names, page tokens.
// Learnt from answers that are compared, used in the requests that follow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace tenon::recorded {

class Names {
 public:
  // Both servers gave a name at the same place. False if one of them stands for something else already.
  bool pair(std::string_view recorded, std::string_view seen);
  // Of an object (must stay a one-to-one mapping), or of a list (only remembered: other writes may lie between).
  bool pair_version(std::string_view recorded, std::string_view seen, bool of_list);

  // The recorded text with every name that is known exchanged.
  std::string translate(std::string_view text) const;
  std::string translate_version(std::string_view recorded) const;
  std::string translate_query(std::string_view raw_query) const;
  // In place; resource versions where a document has them.
  void translate_body(boost::json::value& body) const;

  // Times that the client wrote must come back as they were; those of the servers differ.
  void note_request(std::string_view text) { sent_ += text; }
  bool was_sent(std::string_view text) const { return sent_.find(text) != std::string::npos; }

 private:
  std::map<std::string, std::string, std::less<>> seen_of_;
  std::map<std::string, std::string, std::less<>> recorded_of_;
  std::map<std::string, std::string, std::less<>> version_of_, list_version_of_, recorded_version_of_;
  std::string sent_;
};

}  // namespace tenon::recorded
