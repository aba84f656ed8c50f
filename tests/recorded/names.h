// The pairs of values that correspond in the recorded server and this one: uids, resource versions, generated names,
// page tokens. Learnt from compared answers, used in the requests that follow.
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
  // Records that both servers gave a name at the same place. Returns false if one of them already corresponds to
  // another.
  bool pair(std::string_view recorded, std::string_view seen);
  // Records the versions of an object as pair() does, or those of a list (stored without the check: other writes may be
  // in between).
  bool pair_version(std::string_view recorded, std::string_view seen, bool of_list);

  // Returns the recorded text with every known name exchanged.
  std::string translate(std::string_view text) const;
  std::string translate_version(std::string_view recorded) const;
  std::string translate_query(std::string_view raw_query) const;
  // Changes the document in place, with its resource versions.
  void translate_body(boost::json::value& body) const;

  // Times that the client wrote must be unchanged; those of the servers differ.
  void note_request(std::string_view text) { sent_ += text; }
  bool was_sent(std::string_view text) const { return sent_.find(text) != std::string::npos; }

 private:
  std::map<std::string, std::string, std::less<>> seen_of_;
  std::map<std::string, std::string, std::less<>> recorded_of_;
  std::map<std::string, std::string, std::less<>> version_of_, list_version_of_, recorded_version_of_;
  std::string sent_;
};

}  // namespace tenon::recorded
