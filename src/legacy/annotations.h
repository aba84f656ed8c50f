// The annotations of a document. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>

namespace tenon::legacy {

// Of Karpenter 1.0: the version of the alias that v1beta1 cannot express.
inline constexpr std::string_view kAnnotationAliasVersion = "compatibility.karpenter.k8s.aws/v1-alias-version";

// Empty if there is none.
std::string annotation(const boost::json::value& document, std::string_view key);
void annotate(boost::json::value& document, std::string_view key, std::string text);
// Leaves no empty map behind.
void drop_annotation(boost::json::value& document, std::string_view key);

}  // namespace tenon::legacy
