// SPDX-License-Identifier: Apache-2.0
#include "kube/codec/freeze.h"

#include <utility>

#include "kube/codec/common.h"

namespace tenon::kube::codec {
namespace {

bool read_switch(const Field& field) { return field.one_of({"true", "false"}) == "true"; }

void read_data(const Field& data, model::Freeze& out) {
  bool any = false;
  for (const auto& [key, value] : data.members()) {
    if (!value.present()) {
      data.complain("the key " + std::string(key) + " has no value");
    } else if (key == "reason") {
      out.reason = value.text();
    } else if (key == "disruption" || key == "launches") {
      any = true;
      (key == "disruption" ? out.disruption : out.launches) = read_switch(value);
    } else {
      value.complain("unknown key; the keys are disruption, launches and reason");
    }
  }
  if (!any) out.disruption = out.launches = true;
}

}  // namespace

Result<model::Freeze> decode_freeze(const boost::json::value& document, std::string* fault) {
  std::string first;
  Problem problem(document, &first);
  const Field map(document, problem);
  model::Freeze read;
  read.meta = read_meta(map["metadata"]);
  read_data(map["data"], read);
  if (const Field binary = map["binaryData"]; !binary.members().empty()) binary.complain("not read; use data");
  model::Freeze out = TRY(problem.take(std::move(read)));
  if (!first.empty()) out.disruption = out.launches = true;
  out.fault = std::move(first);
  if (fault != nullptr) fault->clear();
  return out;
}

}  // namespace tenon::kube::codec
