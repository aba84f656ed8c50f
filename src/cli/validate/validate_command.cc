// SPDX-License-Identifier: Apache-2.0
#include "cli/validate/validate_command.h"

#include <algorithm>
#include <istream>
#include <ostream>

#include "base/text.h"
#include "cli/documents/plan_documents.h"
#include "cli/validate/api_check.h"
#include "cli/validate/rules.h"
#include "cli/validate/selectors.h"
#include "cli/validate/traps.h"
#include "json/json.h"
#include "json/yaml_lines.h"

namespace tenon::cli {
namespace {

struct Item {
  Document document;
  std::shared_ptr<const json::YamlLines> lines;  // of its file
  Findings findings;
};

Result<std::vector<Item>> read_items(const std::vector<std::string>& files, std::istream& in) {
  std::vector<Item> items;
  for (const std::string& file : TRY(manifest_files(files))) {
    const std::string text = TRY(read_text(file, in));
    const auto lines = std::make_shared<const json::YamlLines>(text);
    for (Document& document : TRY(split_documents(file, text))) items.push_back({std::move(document), lines, {}});
  }
  return items;
}

std::string_view word(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::kError: return "error";
    case Finding::Kind::kWarning: return "warning";
    case Finding::Kind::kNote: break;
  }
  return "note";
}

void print(const Item& item, std::ostream& out) {
  const json::value& object = *item.document.object;
  for (const Finding& finding : item.findings) {
    const std::string path =
        item.document.path + (item.document.path.empty() || finding.path.empty() ? "" : ".") + finding.path;
    out << item.document.file << ":" << item.lines->of(item.document.number, path) << ": " << word(finding.kind) << ": "
        << item.document.kind << "/" << json::string_at(object, {"metadata", "name"}) << ": "
        << (finding.path.empty() ? "" : finding.path + ": ") << finding.text << "\n";
  }
}

void add(std::vector<Item>& items, const std::vector<Findings>& findings) {
  for (size_t i = 0; i < items.size(); ++i)
    items[i].findings.insert(items[i].findings.end(), findings[i].begin(), findings[i].end());
}

Status validate(std::vector<Item>& items, const std::string& snapshot_file, std::istream& in) {
  const auto api = TRY(ApiCheck::make());
  std::vector<const json::value*> objects;
  for (Item& item : items) {
    const json::value& object = *item.document.object;
    objects.push_back(&object);
    item.findings = api->check(object);
    // The other checks expect valid types. They also find the field of an error that the server does not name.
    const auto placed = [](const Finding& f) { return f.kind == Finding::Kind::kError && !f.path.empty(); };
    if (std::any_of(item.findings.begin(), item.findings.end(), placed)) continue;
    const Findings more = check_rules(object);
    item.findings.insert(item.findings.end(), more.begin(), more.end());
  }
  std::vector<Document> cluster;
  if (!snapshot_file.empty()) cluster = TRY_IN("--snapshot", read_documents({snapshot_file}, in));
  std::vector<const json::value*> snapshot;
  for (const Document& document : cluster) snapshot.push_back(document.object.get());
  add(items, find_traps(objects, snapshot));
  if (!snapshot_file.empty()) add(items, find_empty_selectors(objects, snapshot));
  return ok();
}

}  // namespace

int run_validate(const ValidateOptions& options, std::istream& in, std::ostream& out, std::ostream& err) {
  auto items = read_items(options.files, in);
  const Status done = items ? validate(*items, options.snapshot, in) : Status(fail(items.error()));
  if (!done) {
    err << "tenon validate: " << done.error().message << "\n";
    return kExitError;
  }
  int64_t errors = 0, warnings = 0;
  for (const Item& item : *items) {
    print(item, out);
    for (const Finding& finding : item.findings) {
      errors += finding.kind == Finding::Kind::kError ? 1 : 0;
      warnings += finding.kind == Finding::Kind::kWarning ? 1 : 0;
    }
  }
  out << counted(static_cast<int64_t>(items->size()), "document") << ", " << counted(errors, "error") << ", "
      << counted(warnings, "warning") << "\n";
  return errors > 0 ? kExitError : kExitDone;
}

}  // namespace tenon::cli
