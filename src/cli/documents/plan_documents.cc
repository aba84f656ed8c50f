// SPDX-License-Identifier: Apache-2.0
#include "cli/documents/plan_documents.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <set>

#include "base/text.h"
#include "cli/documents/plan_source.h"
#include "json/json.h"
#include "json/yaml.h"
#include "kube/codec/left_out.h"

namespace tenon::cli {
namespace {

using json::value;

constexpr size_t kLargeBytes = 1 << 20;  // from this size on, a file is read object by object
constexpr int kMaxListDepth = 4;         // lists of lists
constexpr size_t kFormBytes = 4096;      // enough to detect whether a text is JSON
constexpr std::string_view kListEnding = "List";
constexpr std::array<std::string_view, 6> kManifestEndings{".yaml", ".yml", ".json", ".yaml.gz", ".yml.gz", ".json.gz"};

Result<std::vector<value>> parse(std::string_view text) {
  // JSON is YAML, but its own parser is far faster; if it fails, the YAML reader names the line.
  if (const std::string_view body = trim(text); body.starts_with('{')) {
    if (Result<value> one = json::parse(body)) return std::vector<value>{*std::move(one)};
  }
  return json::parse_yaml(text);
}

// Returns the kind of a typed list's members: Pod for PodList; empty if the members must state it.
std::string member_kind_of(const std::string& list) {
  return list == "List" ? "" : list.substr(0, list.size() - kListEnding.size());
}

class Splitter {
 public:
  using Give = std::function<void(Document)>;
  explicit Splitter(Give give) : give_(std::move(give)) {}

  // `kind` and `api_version`: what a typed list (PodList) states for members that do not state it.
  Status add(Document document, const std::string& kind, const std::string& api_version, int depth) {
    const value& object = *document.object;
    if (!object.is_object()) return wrong(document, "must be a Kubernetes object");
    for (const std::string_view field : {"kind", "apiVersion"}) {
      const value* found = json::find(object, {field});
      if (found && !found->is_string()) return wrong(document, std::string(field) + ": must be a string");
    }
    document.kind = json::string_at(object, {"kind"}, kind);
    if (document.kind.empty()) return wrong(document, "kind: missing");
    const std::string version(json::string_at(object, {"apiVersion"}, api_version));
    const auto [group, rest] = cut(version, '/');
    document.group = rest.empty() ? "" : group;
    document.version = rest.empty() ? group : rest;
    if (!document.kind.ends_with(kListEnding) || !json::find(object, {"items"})) {
      give_(std::move(document));
      return ok();
    }
    if (depth == kMaxListDepth) return wrong(document, "lists are nested too deeply");
    const value& items = *json::find(object, {"items"});
    if (!items.is_array()) return wrong(document, "items: must be a list");
    const std::string member_kind = member_kind_of(document.kind);
    for (size_t i = 0; i < items.get_array().size(); ++i) {
      Document member = document;
      member.path += (member.path.empty() ? "items[" : ".items[") + std::to_string(i) + "]";
      member.object = {document.object, &items.get_array()[i]};  // keeps the whole list alive
      TRY(add(std::move(member), member_kind, member_kind.empty() ? "" : version, depth + 1));
    }
    return ok();
  }

 private:
  static tl::unexpected<Error> wrong(const Document& document, const std::string& what) {
    return fail(Code::kInvalid, document.place(what));
  }
  Give give_;
};

// Streams the documents of a large text. Errors in them are reported by the reader of the whole text.
class Stream final : public json::Receiver {
 public:
  Stream(std::string file, DocumentSink& sink)
      : file_(std::move(file)), splitter_([&sink](const Document& document) { sink.document(document); }) {}

  bool takes_items(const json::Head& document) override {
    return document.kind.empty() || document.kind.ends_with(kListEnding);
  }
  const std::vector<json::LeftOut>& left_out(const json::Head& object) override {
    return kube::codec::left_out(object.kind, object.stored);
  }
  bool item(json::SharedValue item, const json::Head& list) override {
    list_ = list;
    Document member;
    member.file = file_;
    member.number = number_ + 1;
    member.path = "items[" + std::to_string(items_++) + "]";
    const bool tells_all = item->is_object() && !json::string_at(*item, {"kind"}).empty() &&
                           !json::string_at(*item, {"apiVersion"}).empty();
    if (!tells_all && list.kind.empty()) return false;  // the list states it, but later
    const std::string kind = list.kind.empty() ? "" : member_kind_of(list.kind);
    member.object = std::move(item);
    return splitter_.add(std::move(member), kind, kind.empty() ? "" : list.api_version, 1).has_value();
  }
  bool document(json::SharedValue object, bool items_taken) override {
    Document document;
    document.file = file_;
    document.number = ++number_;
    if (items_taken && !is_the_list(*object)) return false;
    items_ = 0;
    list_ = {};
    if (items_taken) return true;
    document.object = std::move(object);
    return splitter_.add(std::move(document), "", "", 0).has_value();
  }

 private:
  // Returns whether the rest of the document confirms what its items were taken for.
  bool is_the_list(const value& object) const {
    const std::string_view kind = json::string_at(object, {"kind"});
    const std::string_view version = json::string_at(object, {"apiVersion"});
    if (!kind.ends_with(kListEnding) || json::find(object, {"items"})) return false;
    if (const value* any = json::find(object, {"apiVersion"}); any && !any->is_string()) return false;
    if (items_ == 0 || list_.kind.empty()) return true;
    return kind == list_.kind && (kind == "List" || version == list_.api_version);
  }

  const std::string file_;
  Splitter splitter_;
  size_t number_ = 0;  // complete documents
  size_t items_ = 0;   // of the current one
  json::Head list_;    // as it was when its items were passed on
};

}  // namespace

std::string Document::place(std::string_view what) const {
  std::string out = file + ": document " + std::to_string(number) + ": ";
  if (path.empty()) return out + std::string(what);
  // A message about a field starts with its path.
  const bool field =
      what.find(": ") != std::string_view::npos && what.substr(0, what.find(": ")).find(' ') == std::string_view::npos;
  return out + path + (field ? "." : ": ") + std::string(what);
}

Result<std::string> read_text(const std::string& file, std::istream& standard_input) {
  Sources sources(standard_input);
  const auto source = TRY(sources.open(file));
  return TRY_IN(file, read_some(*source, SIZE_MAX));
}

Result<std::vector<Document>> split_documents(const std::string& file, std::string_view text) {
  std::vector<value> values = TRY_IN(file, parse(text));
  std::vector<Document> out;
  Splitter splitter([&out](Document document) { out.push_back(std::move(document)); });
  size_t number = 0;
  for (value& v : values) {
    Document document;
    document.file = file;
    document.number = ++number;
    document.object = std::make_shared<const value>(std::move(v));
    TRY(splitter.add(std::move(document), "", "", 0));
  }
  return out;
}

namespace {

// Returns the manifests directly in a folder, as kubectl reads it; for a file, the file.
Result<std::vector<std::string>> manifests_of(const std::string& path) {
  std::error_code error;
  if (path == "-" || !std::filesystem::is_directory(path, error)) return std::vector<std::string>{path};
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    std::string name = entry.path().string();
    if (std::any_of(kManifestEndings.begin(), kManifestEndings.end(), [&](auto end) { return name.ends_with(end); }))
      files.push_back(std::move(name));
  }
  if (error) return fail(Code::kInvalid, path + ": " + error.message());
  if (files.empty()) return fail(Code::kInvalid, path + ": no .yaml, .yml or .json file in this folder");
  std::sort(files.begin(), files.end());
  return files;
}

// Reads the files, as often as necessary.
class Reading {
 public:
  Reading(std::istream& standard_input, DocumentSink& sink) : sources_(standard_input), sink_(sink) {}

  // Returns false if all files must be read again.
  Result<bool> all(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      const std::vector<std::string> manifests = TRY(manifests_of(path));
      for (const std::string& file : manifests) {
        if (!TRY(one(file))) return false;
      }
    }
    return true;
  }

 private:
  // Returns false if this file must be read as a whole.
  Result<bool> one(const std::string& file) {
    const auto source = TRY(sources_.open(file));
    const bool as_a_whole = wholes_.contains(file);
    const std::string begin = TRY_IN(file, read_some(*source, as_a_whole ? SIZE_MAX : kLargeBytes));
    if (as_a_whole || begin.size() < kLargeBytes) {
      const std::vector<Document> documents = TRY(split_documents(file, begin));
      for (const Document& document : documents) sink_.document(document);
      return true;
    }
    ResumedSource all(begin, *source);
    if (TRY(stream_documents(file, all, sink_))) return true;
    wholes_.insert(file);
    return false;
  }

  Sources sources_;
  DocumentSink& sink_;
  std::set<std::string> wholes_;
};

}  // namespace

Result<std::vector<std::string>> manifest_files(const std::vector<std::string>& paths) {
  std::vector<std::string> all;
  for (const std::string& path : paths) {
    for (std::string& file : TRY(manifests_of(path))) all.push_back(std::move(file));
  }
  return all;
}

Result<bool> stream_documents(const std::string& file, json::Source& source, DocumentSink& sink) {
  const std::string begin = TRY_IN(file, read_some(source, kFormBytes));
  ResumedSource all(begin, source);
  Stream stream(file, sink);
  return TRY_IN(file, trim(begin).starts_with('{') ? json::stream_json(all, stream) : json::stream_yaml(all, stream));
}

Status read_documents(const std::vector<std::string>& files, std::istream& standard_input, DocumentSink& sink) {
  Reading reading(standard_input, sink);
  while (!TRY(reading.all(files))) sink.restart();
  return ok();
}

Result<std::vector<Document>> read_documents(const std::vector<std::string>& files, std::istream& standard_input) {
  std::vector<Document> all;
  for (const std::string& path : files) {
    const std::vector<std::string> manifests = TRY(manifests_of(path));
    for (const std::string& file : manifests) {
      const std::string text = TRY(read_text(file, standard_input));
      std::vector<Document> documents = TRY(split_documents(file, text));
      for (Document& document : documents) all.push_back(std::move(document));
    }
  }
  return all;
}

}  // namespace tenon::cli
