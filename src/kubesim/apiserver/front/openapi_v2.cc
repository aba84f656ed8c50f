// The OpenAPI 2 document for older kubectl versions: in protobuf, with the parameters of PATCH, so that kubectl finds
// dryRun (`kubectl diff`, `--dry-run=server`). Without definitions, kubectl leaves the validation to the server.
// parity: github.com/google/gnostic-models/openapiv2 (field numbers)
// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/front/openapi.h"

namespace tenon::kubesim::apiserver {
namespace {

void put_varint(std::string& out, uint64_t number) {
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
  out += static_cast<char>(number);
}

// Encodes a length-delimited field: a string or a message.
std::string field(uint32_t number, std::string_view bytes) {
  constexpr uint32_t kBytes = 2;
  std::string out;
  put_varint(out, number << 3 | kBytes);
  put_varint(out, bytes.size());
  out += bytes;
  return out;
}

std::string encoded_query_parameter(std::string_view name) {
  const std::string schema = field(2, "query") + field(4, name) + field(6, "string");
  constexpr uint32_t kInQuery = 3, kNotInBody = 2, kParameter = 1;
  return field(kParameter, field(kNotInBody, field(kInQuery, schema)));
}

std::string kind_extension(const ResourceInfo& info) {
  constexpr uint32_t kName = 1, kValue = 2, kYaml = 2;
  const std::string yaml = "group: " + (info.group.empty() ? "\"\"" : info.group) + "\nkind: " + info.kind +
                           "\nversion: " + info.version + "\n";
  return field(kName, "x-kubernetes-group-version-kind") + field(kValue, field(kYaml, yaml));
}

std::string path_item(const ResourceInfo& info) {
  constexpr uint32_t kName = 1, kValue = 2, kPatchOperation = 8, kParameters = 8, kExtension = 13;
  std::string operation;
  for (const std::string_view name : {"dryRun", "fieldManager", "fieldValidation", "force"}) {
    operation += field(kParameters, encoded_query_parameter(name));
  }
  operation += field(kExtension, kind_extension(info));
  std::string path = info.group.empty() ? "/api/" + info.version : "/apis/" + info.group + "/" + info.version;
  if (info.namespaced) path += "/namespaces/{namespace}";
  return field(kName, path + "/" + info.plural + "/{name}") + field(kValue, field(kPatchOperation, operation));
}

}  // namespace

std::string openapi_v2(const Registry& registry) {
  constexpr uint32_t kSwagger = 1, kInfo = 2, kPaths = 8, kPath = 2;
  std::string paths;
  for (const InfoPtr& info : registry.all()) {
    if (info->allows(Verbs::kPatch)) paths += field(kPath, path_item(*info));
  }
  return field(kSwagger, "2.0") + field(kInfo, field(1, "Kubernetes") + field(2, "v1")) + field(kPaths, paths);
}

}  // namespace tenon::kubesim::apiserver
