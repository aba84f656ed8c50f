// Records the fields that a conversion between versions loses, and restores them; to_version() (served_versions.h) uses
// it. A field of spec, or an annotation, is lost if a round trip changes it; a list is one field. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>

namespace tenon::legacy {

// Returns the fields in which a document of `version` differs from what a round trip makes of it, as text for an
// annotation; empty: nothing is lost.
std::string lost_fields(std::string_view version, const boost::json::value& round_trip,
                        const boost::json::value& document);
// Gives each field its old value if it is what the simple conversion made of it then: nobody has edited it since. Text
// about another version, text of another form and paths outside of spec and of the annotations change nothing: the
// annotation is a user's to write, and one object that has no conversion would end a list of all of them.
void restore_fields(std::string_view version, const std::string& text, boost::json::value& document);

}  // namespace tenon::legacy
