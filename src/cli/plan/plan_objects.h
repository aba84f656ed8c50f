// Objects of a plan's documents, with what an API server fills in: namespace and uid, and an age for each. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/instant.h"
#include "base/result.h"
#include "cli/documents/plan_documents.h"
#include "model/meta.h"

namespace tenon::cli {

// A label that every namespace has: its own name.
inline constexpr std::string_view kNamespaceNameLabel = "kubernetes.io/metadata.name";

// One of the functions of kube/codec/codec.h.
template <class T>
using Decoder = Result<T> (*)(const boost::json::value& document, std::string* fault);

// Sets the namespace ("default"; none for a kind without namespaces) and a uid derived from the name. Errors: kInvalid,
// with file, document and field path: the name is missing.
Status finish_meta(const Document& d, model::ObjectMeta& meta, bool namespaced);
// Makes an object without a creationTimestamp one hour old.
void give_age(model::ObjectMeta& meta, Instant now);

// Decodes an object and calls finish_meta(). Errors: kInvalid, with file, document and field path.
template <class T>
Result<T> decode_object(const Document& d, Decoder<T> decoder, bool namespaced) {
  Result<T> object = decoder(*d.object, nullptr);
  if (!object) return fail(Code::kInvalid, d.place(object.error().message));
  if constexpr (std::is_same_v<T, model::ObjectMeta>) {
    TRY(finish_meta(d, *object, namespaced));
  } else {
    TRY(finish_meta(d, object->meta, namespaced));
  }
  return object;
}

// The same, stored by name or namespace/name; of two with one key the later counts.
template <class T>
Status keep_object(const Document& d, Decoder<T> decoder, std::map<std::string, T>& into, bool namespaced) {
  T object = TRY(decode_object(d, decoder, namespaced));
  const model::ObjectMeta& meta = object.meta;
  const std::string key = namespaced ? meta.ns + "/" + meta.name : meta.name;
  into.insert_or_assign(key, std::move(object));
  return ok();
}

}  // namespace tenon::cli
