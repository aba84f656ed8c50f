// Any text as documents of a plan: the objects that the streaming reader delivers equal those of the whole text, except
// for members that it leaves out of stored objects; a text that it does not support goes to the other reader.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "cli/documents/plan_documents.h"
#include "json/equal.h"
#include "json/json.h"
#include "kube/codec/left_out.h"

namespace {

using namespace tenon;

// In pieces of a different size each time, so that every token is cut somewhere.
class Pieces final : public json::Source {
 public:
  explicit Pieces(std::string_view text) : text_(text) {}
  Result<size_t> read(char* into, size_t size) override {
    step_ = step_ * 7 % 1009;
    const size_t count = text_.copy(into, std::min(size, step_));
    text_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view text_;
  size_t step_ = 3;
};

class Collect final : public cli::DocumentSink {
 public:
  void document(const cli::Document& document) override { all.push_back(document); }
  void restart() override { CHECK(false, "nothing restarts here"); }
  std::vector<cli::Document> all;
};

void leave_out(json::value& v, const std::vector<json::LeftOut>& rules) {
  if (auto* items = v.if_array()) {
    for (json::value& item : *items) leave_out(item, rules);
  }
  auto* members = v.if_object();
  if (!members) return;
  for (const json::LeftOut& rule : rules) {
    json::value* member = members->if_contains(rule.name);
    if (!member) continue;
    if (rule.inside.empty())
      members->stable_erase(rule.name);
    else
      leave_out(*member, rule.inside);
  }
}

// Returns the document without the members that the streaming reader may leave out. The reader leaves them out only if
// the kind and the uid precede them, so both sides remove them. A member of a PodList may have its kind from the list
// only.
json::value without_left_out(const cli::Document& document) {
  json::value object(*document.object, boost::json::storage_ptr());
  for (const char* kind : {"Pod", "Node", "DaemonSet", "Deployment"}) leave_out(object, kube::codec::left_out(kind));
  return object;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Collect collect;
  Pieces pieces(text);
  const Result<bool> taken = cli::stream_documents("f", pieces, collect);
  CHECK(taken.has_value(), "a text in memory can be read");
  if (!*taken) return 0;
  const auto documents = cli::split_documents("f", text);
  CHECK(documents.has_value(), documents.has_value() ? "" : documents.error().message);
  CHECK(documents->size() == collect.all.size(), std::to_string(collect.all.size()));
  for (size_t i = 0; i < documents->size(); ++i) {
    const cli::Document &whole = (*documents)[i], &streamed = collect.all[i];
    CHECK(streamed.place("x") == whole.place("x"), streamed.place("x") + " is not " + whole.place("x"));
    CHECK(streamed.kind == whole.kind && streamed.group == whole.group && streamed.version == whole.version,
          whole.place(whole.kind));
    const bool stored = json::find(*whole.object, {"metadata", "uid"}) != nullptr;
    const std::string left = json::to_string(without_left_out(streamed)),
                      right = json::to_string(without_left_out(whole));
    CHECK(left == right, left + " is not " + right);
    if (stored) continue;
    json::value all(*whole.object, boost::json::storage_ptr());
    leave_out(all, kube::codec::left_out("", false));
    json::value of_streamed(*streamed.object, boost::json::storage_ptr());
    leave_out(of_streamed, kube::codec::left_out("", false));
    CHECK(json::equal(of_streamed, all), json::to_string(*streamed.object));
  }
  return 0;
}
