// The input is checked as an API server would: types and unknown fields by the CRDs of its version, then the rules of
// the webhooks (legacy/). The output is checked by the CRDs of v1: what an API server would refuse is not printed.
// SPDX-License-Identifier: Apache-2.0
#include "cli/convert/convert_command.h"

#include <iostream>
#include <map>

#include "cli/documents/plan_documents.h"
#include "json/json.h"
#include "json/yaml.h"
#include "legacy/convert.h"
#include "schema/builtin_crds.h"
#include "schema/schema.h"

namespace tenon::cli {
namespace {

using json::value;

// The schemas of the CRDs that the binary holds, by "apiVersion kind".
class Schemas {
 public:
  static Result<Schemas> make() {
    Schemas schemas;
    for (const auto& files : {schema::builtin_crds(), schema::legacy_crds()}) {
      for (const auto& [name, yaml] : files) {
        for (const value& crd : TRY_IN(std::string(name), json::parse_yaml(yaml))) TRY(schemas.add(crd));
      }
    }
    return schemas;
  }

  // Returns what an API server would refuse, as "field: message"; empty also for kinds without a CRD here.
  std::vector<std::string> faults(const value& document) const {
    const auto found =
        schemas_.find(key(json::string_at(document, {"apiVersion"}), json::string_at(document, {"kind"})));
    if (found == schemas_.end()) return {};
    std::vector<std::string> faults;
    value stored = document;
    for (const std::string& path : found->second->prune(stored)) faults.push_back(path + ": unknown field");
    found->second->apply_defaults(stored);
    for (const schema::Cause& cause : found->second->validate(stored, nullptr))
      faults.push_back(cause.field + ": " + cause.message);
    return faults;
  }

 private:
  static std::string key(std::string_view api, std::string_view kind) {
    return std::string(api) + " " + std::string(kind);
  }
  Status add(const value& crd) {
    const std::string group(json::string_at(crd, {"spec", "group"}));
    for (const value& version : json::array_at(crd, {"spec", "versions"})) {
      const std::string api = group + "/" + std::string(json::string_at(version, {"name"}));
      const value* schema = json::find(version, {"schema", "openAPIV3Schema"});
      if (schema == nullptr) continue;
      schemas_[key(api, json::string_at(crd, {"spec", "names", "kind"}))] = TRY(schema::CrdSchema::compile(*schema));
    }
    return ok();
  }
  std::map<std::string, std::shared_ptr<const schema::CrdSchema>> schemas_;
};

// "Provisioner/default"
std::string name_of(const value& document) {
  return std::string(json::string_at(document, {"kind"})) + "/" +
         std::string(json::string_at(document, {"metadata", "name"}));
}

Result<std::vector<value>> converted(const std::vector<Document>& documents, std::ostream& err) {
  static const Result<Schemas> kSchemas = Schemas::make();  // tests convert many inputs
  if (!kSchemas) return fail(kSchemas.error());
  const Schemas& schemas = *kSchemas;
  std::vector<value> objects;
  size_t faults = 0;
  const auto report = [&](const Document& document, const std::string& what) {
    err << document.place(name_of(*document.object) + ": " + what) << "\n";
  };
  for (const Document& document : documents) {
    for (const std::string& fault : schemas.faults(*document.object)) {
      report(document, fault);
      ++faults;
    }
    objects.push_back(*document.object);
  }
  if (faults > 0) return fail(Code::kInvalid, "the input is invalid; nothing is converted");
  legacy::Converted done = legacy::convert(objects);
  for (const auto& [index, note] : done.refused) report(documents[index], note.path + ": " + note.text);
  if (!done.refused.empty()) return fail(Code::kInvalid, "the input is invalid; nothing is converted");
  for (const auto& [index, note] : done.notes) report(documents[index], note.path + ": " + note.text);
  for (const value& document : done.documents) {
    for (const std::string& fault : schemas.faults(document)) {
      err << name_of(document) << ": " << fault << "\n";
      ++faults;
    }
  }
  if (faults > 0) return fail(Code::kInvalid, "v1 does not accept the result; nothing is printed");
  return std::move(done.documents);
}

void print(const std::vector<value>& documents, const std::string& format, std::ostream& out) {
  if (format == "json") {
    json::array items(documents.begin(), documents.end());
    out << json::to_pretty(json::object{{"apiVersion", "v1"}, {"kind", "List"}, {"items", std::move(items)}});
    return;
  }
  for (size_t i = 0; i < documents.size(); ++i) out << (i == 0 ? "" : "---\n") << json::to_yaml(documents[i]);
}

}  // namespace

int run_convert(const ConvertOptions& options, std::istream& in, std::ostream& out, std::ostream& err) {
  const auto documents = read_documents(options.files, in);
  const auto done = documents ? converted(*documents, err) : fail(documents.error());
  if (!done) {
    err << "tenon convert: " << done.error().message << "\n";
    return kExitError;
  }
  print(*done, options.output, out);
  return kExitDone;
}

}  // namespace tenon::cli
