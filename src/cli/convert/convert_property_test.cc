// Properties of `tenon convert` over random objects: what is valid is converted without a loss that no note names, and
// the result is valid; what is invalid is refused with the path of the field.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "cli/convert/convert_command.h"
#include "json/json.h"
#include "json/yaml.h"
#include "legacy/convert.h"
#include "legacy/testing/random_objects.h"

namespace tenon::cli {
namespace {

using json::value;

constexpr uint64_t kSeeds = 10'000;

std::string as_yaml(const std::vector<value>& documents) {
  std::string text;
  for (const value& document : documents) text += "---\n" + json::to_yaml(document);
  return text;
}

struct Answer {
  int exit = 0;
  std::string out, err;
};

Answer convert(const std::vector<value>& documents) {
  std::istringstream in(as_yaml(documents));
  std::ostringstream out, err;
  const int exit = run_convert({.files = {"-"}}, in, out, err);
  return {exit, out.str(), err.str()};
}

// The keys and scalars below a value, as texts.
void texts_of(const value& v, std::set<std::string>& into) {
  if (v.is_object()) {
    for (const auto& [key, item] : v.get_object()) {
      into.insert(std::string(key));
      texts_of(item, into);
    }
  } else if (v.is_array()) {
    for (const value& item : v.get_array()) texts_of(item, into);
  } else {
    into.insert(v.is_string() ? std::string(v.get_string()) : json::to_string(v));
  }
}

struct Leaf {
  std::string path, text;
};
void leaves_of(const value& v, const std::string& path, std::vector<Leaf>& into) {
  if (v.is_object()) {
    for (const auto& [key, item] : v.get_object()) leaves_of(item, path + "." + std::string(key), into);
  } else if (v.is_array()) {
    for (const value& item : v.get_array()) leaves_of(item, path, into);
  } else {
    into.push_back({path, v.is_string() ? std::string(v.get_string()) : json::to_string(v)});
  }
}

// The fields whose value v1 expresses in another way, each with the test that shows it (convert_command_test.cc).
bool expressed_otherwise(const std::string& path) {
  for (const char* known : {"spec.consolidation.enabled", "spec.amiFamily", "spec.provider.amiFamily"}) {
    if (path == known) return true;
  }
  return false;
}

// Returns the first leaf of the document that is neither in the output nor named by a note; empty: nothing is lost.
std::string lost(const value& document, const std::set<std::string>& output, const std::vector<std::string>& notes) {
  std::vector<Leaf> leaves;
  leaves_of(*json::find(document, {"spec"}), "spec", leaves);
  for (const Leaf& leaf : leaves) {
    const auto kept = [&](const std::string& text) { return output.contains(text) || output.contains(text + "s"); };
    bool found = expressed_otherwise(leaf.path) || kept(leaf.text);
    for (size_t at = 0; !found && leaf.text.find(',') != std::string::npos;) {  // alternatives of a selector
      const size_t end = std::min(leaf.text.find(',', at), leaf.text.size());
      if (!kept(leaf.text.substr(at, end - at))) break;
      if (end == leaf.text.size()) found = true;
      at = end + 1;
    }
    for (const std::string& note : notes) found = found || leaf.path.starts_with(note.substr(0, note.find('[')));
    if (!found) return leaf.path + " = " + leaf.text;
  }
  return "";
}

TEST(ConvertProperty, NothingIsLostThatNoNoteNames) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Prng prng(seed);
    const std::vector<value> documents = legacy::testing::random_objects(prng);
    const Answer answer = convert(documents);
    ASSERT_EQ(answer.exit, 0) << "seed " << seed << "\n" << answer.err << as_yaml(documents);
    const auto output = json::parse_yaml(answer.out);
    ASSERT_TRUE(output) << answer.out;
    std::set<std::string> texts;
    for (const value& document : *output) texts_of(document, texts);
    const legacy::Converted converted = legacy::convert(documents);
    for (size_t i = 0; i < documents.size(); ++i) {
      if (json::string_at(documents[i], {"kind"}) == "ConfigMap") continue;
      std::vector<std::string> notes;
      for (const auto& about : converted.notes) {
        if (about.document == i && about.note.path != "spec") notes.push_back(about.note.path);
      }
      ASSERT_EQ(lost(documents[i], texts, notes), "") << "seed " << seed << "\n" << as_yaml(documents) << answer.out;
    }
  }
}

TEST(ConvertProperty, WhatIsInvalidIsRefusedWithTheFieldsPath) {
  std::set<std::string> refused;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Prng prng(seed);
    std::vector<value> documents = legacy::testing::random_objects(prng);
    const std::string path = legacy::testing::spoil(documents, prng);
    const Answer answer = convert(documents);
    ASSERT_EQ(answer.exit, 1) << "seed " << seed << "\n" << as_yaml(documents);
    ASSERT_NE(answer.err.find(path), std::string::npos) << "seed " << seed << ": " << path << "\n" << answer.err;
    ASSERT_EQ(answer.out, "");
    refused.insert(path);
  }
  EXPECT_EQ(refused.size(), 19u) << "each fault was drawn";
}

TEST(ConvertProperty, ConvertedObjectsPassUnchanged) {
  for (uint64_t seed = 1; seed <= kSeeds / 20; ++seed) {
    Prng prng(seed);
    const Answer once = convert(legacy::testing::random_objects(prng));
    ASSERT_EQ(once.exit, 0) << once.err;
    const Answer twice = convert(*json::parse_yaml(once.out));
    ASSERT_EQ(twice.exit, 0) << twice.err;
    ASSERT_EQ(twice.out, once.out) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tenon::cli
