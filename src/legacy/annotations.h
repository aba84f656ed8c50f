// Reads and changes the annotations of a document. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>

namespace tenon::legacy {

// Karpenter 1.0 keeps the version of an alias in this annotation, because v1beta1 cannot express it.
inline constexpr std::string_view kAnnotationAliasVersion = "compatibility.karpenter.k8s.aws/v1-alias-version";

// Returns the annotation's text; empty: the document does not have it.
std::string annotation(const boost::json::value& document, std::string_view key);
void annotate(boost::json::value& document, std::string_view key, std::string text);
// Removes the annotation, and the map of annotations if it becomes empty.
void drop_annotation(boost::json::value& document, std::string_view key);

}  // namespace tenon::legacy
