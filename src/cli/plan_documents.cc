// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_documents.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/text.h"
#include "json/json.h"
#include "json/yaml.h"

namespace tenon::cli {
namespace {

using json::value;

constexpr size_t kMaxInputBytes = size_t{4} << 30;  // of one file, uncompressed: what a dump of 1,000,000 pods takes
constexpr int kMaxListDepth = 4;                    // lists of lists
constexpr std::array<std::string_view, 6> kManifestEndings{".yaml", ".yml", ".json", ".yaml.gz", ".yml.gz", ".json.gz"};

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

Result<std::string> gunzip(std::string_view packed) {
  z_stream stream{};
  constexpr int kGzipWindow = 15 + 16;
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) return fail(Code::kInternal, "out of memory");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, inflateEnd);
  std::string out;
  std::vector<char> block(1 << 20);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  size_t left = packed.size();
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    const auto step = static_cast<uInt>(std::min<size_t>(left, 1 << 30));
    stream.avail_in = step;
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = static_cast<uInt>(block.size());
    state = inflate(&stream, Z_NO_FLUSH);
    left -= step - stream.avail_in;
    const size_t made = block.size() - stream.avail_out;
    out.append(block.data(), made);
    if (state == Z_BUF_ERROR || (state == Z_OK && left == 0 && made == 0)) {
      return fail(Code::kInvalid, "the gzip data ends too early");
    }
    if (state != Z_OK && state != Z_STREAM_END) return fail(Code::kInvalid, "the gzip data is damaged");
    if (out.size() > kMaxInputBytes) return fail(Code::kInvalid, "is larger than 4 GiB uncompressed");
    if (state == Z_STREAM_END && left > 0 && is_gzip(packed.substr(packed.size() - left))) {  // a further member
      inflateReset(&stream);
      state = Z_OK;
    }
  }
  return out;
}

Result<std::vector<value>> parse(std::string_view text) {
  // JSON is YAML, but its own parser is far faster; where it fails, the YAML reader names the line.
  if (const std::string_view body = trim(text); body.starts_with('{')) {
    if (Result<value> one = json::parse(body)) return std::vector<value>{*std::move(one)};
  }
  return json::parse_yaml(text);
}

class Splitter {
 public:
  explicit Splitter(std::vector<Document>& out) : out_(out) {}

  // `kind` and `api_version` are what a typed list (PodList) says about members that do not say it themselves.
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
    if (!document.kind.ends_with("List") || !json::find(object, {"items"})) {
      out_.push_back(std::move(document));
      return ok();
    }
    if (depth == kMaxListDepth) return wrong(document, "lists in lists in lists");
    const value& items = *json::find(object, {"items"});
    if (!items.is_array()) return wrong(document, "items: must be a list");
    const std::string member_kind = document.kind == "List" ? "" : document.kind.substr(0, document.kind.size() - 4);
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
  std::vector<Document>& out_;
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
  std::string text;
  if (file == "-") {
    text.assign(std::istreambuf_iterator<char>(standard_input), {});
  } else {
    errno = 0;
    std::ifstream in(file, std::ios::binary);
    if (in) text.assign(std::istreambuf_iterator<char>(in), {});
    if (!in || in.bad()) {
      return fail(errno == ENOENT ? Code::kNotFound : Code::kInvalid,
                  file + ": " + (errno ? std::strerror(errno) : "cannot be read"));
    }
  }
  if (!is_gzip(text)) return text;
  return TRY_IN(file, gunzip(text));
}

Result<std::vector<Document>> split_documents(const std::string& file, std::string_view text) {
  std::vector<value> values = TRY_IN(file, parse(text));
  std::vector<Document> out;
  Splitter splitter(out);
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

// A folder stands for the manifests directly in it, as with kubectl.
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

}  // namespace

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
