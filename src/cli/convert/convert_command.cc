// The input is checked as an API server would: types and unknown fields by the CRDs of its version, then the rules of
// the webhooks (legacy/). The output is checked by the CRDs of v1: what an API server would refuse is not printed.
// SPDX-License-Identifier: Apache-2.0
#include "cli/convert/convert_command.h"

#include <iostream>

#include "cli/convert/in_cluster.h"
#include "cli/documents/plan_documents.h"
#include "json/json.h"
#include "json/yaml.h"
#include "legacy/convert.h"
#include "schema/known_schemas.h"

namespace tenon::cli {
namespace {

using json::value;

// "Provisioner/default"
std::string name_of(const value& document) {
  return std::string(json::string_at(document, {"kind"})) + "/" +
         std::string(json::string_at(document, {"metadata", "name"}));
}

Result<std::vector<value>> converted(const std::vector<Document>& documents, std::ostream& err) {
  static const Result<schema::KnownSchemas> kSchemas = schema::KnownSchemas::make();  // tests convert many inputs
  if (!kSchemas) return fail(kSchemas.error());
  const schema::KnownSchemas& schemas = *kSchemas;
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
  if (options.in_cluster != options.files.empty()) {
    err << "tenon convert: give one of --filename and --in-cluster\n";
    return kExitUsage;
  }
  if (options.in_cluster && options.dry_run == options.apply) {
    err << "tenon convert: --in-cluster needs one of --dry-run and --apply\n";
    return kExitUsage;
  }
  if (options.in_cluster) return run_convert_cluster(options, out, err);
  if (options.dry_run || options.apply || !options.rollback.empty()) {
    err << "tenon convert: --dry-run, --apply and --rollback need --in-cluster\n";
    return kExitUsage;
  }
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
