// docs/compatibility.md against the CRDs: each field has one row, each row has fields, and what shows it exists. And
// the CRDs of v1beta1 against those of v1.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "json/json.h"
#include "json/yaml.h"
#include "schema/builtin_crds.h"

namespace tenon {
namespace {

using json::value;
using Fields = std::set<std::string>;

// The paths of the fields below a schema that have no fields of their own.
void add_leaves(const value& schema, const std::string& path, Fields& out) {
  const auto& properties = json::object_at(schema, {"properties"});
  const value* items = json::find(schema, {"items"});
  if (!properties.empty()) {
    for (const auto& [key, below] : properties)
      add_leaves(below, path + (path.empty() ? "" : ".") + std::string(key), out);
  } else if (items != nullptr && !json::object_at(*items, {"properties"}).empty()) {
    add_leaves(*items, path + "[]", out);
  } else {
    out.insert(path);
  }
}

// By "Kind group/version".
std::map<std::string, Fields> fields_of_the_crds() {
  std::map<std::string, Fields> out;
  for (const auto& files : {schema::builtin_crds(), schema::v1beta1_crds(), schema::legacy_crds(),
                            schema::optional_crds(), schema::kwok_crds()}) {
    for (const auto& [name, yaml] : files) {
      const value crd = json::parse_yaml(yaml)->front();
      for (const value& version : json::array_at(crd, {"spec", "versions"})) {
        Fields& fields = out[std::string(json::string_at(crd, {"spec", "names", "kind"})) + " " +
                             std::string(json::string_at(crd, {"spec", "group"})) + "/" +
                             std::string(json::string_at(version, {"name"}))];
        for (const char* part : {"spec", "status"}) {
          const value* schema = json::find(version, {"schema", "openAPIV3Schema", "properties", part});
          if (schema != nullptr) add_leaves(*schema, part, fields);
        }
      }
    }
  }
  return out;
}

struct Row {
  int line = 0;
  std::vector<std::string> fields, proofs;
  std::string where;
};

std::vector<std::string> in_backticks(const std::string& cell) {
  std::vector<std::string> out;
  for (size_t at = cell.find('`'); at != std::string::npos;) {
    const size_t end = cell.find('`', at + 1);
    if (end == std::string::npos) break;
    out.push_back(cell.substr(at + 1, end - at - 1));
    at = cell.find('`', end + 1);
  }
  return out;
}

// The tables of the document, by the heading above.
std::map<std::string, std::vector<Row>> rows_of_the_document() {
  std::map<std::string, std::vector<Row>> out;
  std::ifstream in(std::string(TENON_SOURCE_DIR) + "/docs/compatibility.md");
  std::string heading, text;
  for (int line = 1; std::getline(in, text); ++line) {
    if (text.starts_with("## ")) heading = text.substr(3);
    if (!text.starts_with("| `")) continue;
    std::vector<std::string> cells;
    for (size_t at = 1; at < text.size();) {
      const size_t end = text.find('|', at);
      cells.push_back(text.substr(at, end - at));
      if (end == std::string::npos) break;
      at = end + 1;
    }
    EXPECT_EQ(cells.size(), 3u) << "line " << line;
    if (cells.size() != 3) continue;
    out[heading].push_back({line, in_backticks(cells[0]), in_backticks(cells[2]), cells[1]});
  }
  return out;
}

bool covers(const std::string& pattern, const std::string& field) {
  return pattern.ends_with(".*") ? field.starts_with(pattern.substr(0, pattern.size() - 1)) : pattern == field;
}

TEST(Compatibility, EveryFieldHasARowAndEveryRowAField) {
  const auto crds = fields_of_the_crds();
  const auto document = rows_of_the_document();
  for (const auto& [kind, fields] : crds) {
    ASSERT_TRUE(document.contains(kind)) << kind;
    for (const std::string& field : fields) {
      int exact = 0, patterns = 0;
      for (const Row& row : document.at(kind)) {
        for (const std::string& pattern : row.fields) {
          if (covers(pattern, field)) ++(pattern == field ? exact : patterns);
        }
      }
      EXPECT_GE(exact + patterns, 1) << kind << ": " << field << " has no row";
      EXPECT_LE(exact, 1) << kind << ": " << field << " has two rows";
    }
  }
  for (const auto& [kind, rows] : document) {
    ASSERT_TRUE(crds.contains(kind)) << kind;
    for (const Row& row : rows) {
      for (const std::string& pattern : row.fields) {
        const Fields& fields = crds.at(kind);
        EXPECT_TRUE(
            std::any_of(fields.begin(), fields.end(), [&](const auto& field) { return covers(pattern, field); }))
            << "line " << row.line << ": " << kind << " has no field " << pattern;
      }
    }
  }
}

// tools/crds_v1beta1.py was run after the last change of deploy/crds.
TEST(Compatibility, TheOptInCrdsServeTheSameV1) {
  const auto current = schema::builtin_crds(), both = schema::v1beta1_crds();
  ASSERT_EQ(current.size(), both.size());
  for (size_t i = 0; i < both.size(); ++i) {
    value one = json::parse_yaml(current[i].second)->front(), two = json::parse_yaml(both[i].second)->front();
    auto& versions = json::find(two, {"spec", "versions"})->get_array();
    ASSERT_EQ(versions.size(), 2u) << both[i].first;
    EXPECT_EQ(json::string_at(versions[1], {"name"}), "v1beta1");
    EXPECT_FALSE(json::bool_at(versions[1], {"storage"}));
    versions.pop_back();
    json::erase(two, {"spec", "conversion"});
    EXPECT_EQ(one, two) << both[i].first;
  }
}

// A row of a field that is not honoured begins with "nowhere: " and gives the reason.
TEST(Compatibility, EveryProofExistsAndNoRowIsWithoutAReason) {
  for (const auto& [kind, rows] : rows_of_the_document()) {
    for (const Row& row : rows) {
      EXPECT_FALSE(row.proofs.empty()) << "line " << row.line;
      for (const std::string& proof : row.proofs) {
        EXPECT_TRUE(std::filesystem::exists(std::string(TENON_SOURCE_DIR) + "/" + proof))
            << "line " << row.line << ": " << proof;
      }
      constexpr std::string_view kNowhere = " nowhere";
      EXPECT_FALSE(row.where.starts_with(kNowhere) && !row.where.starts_with(" nowhere: ")) << "line " << row.line;
      EXPECT_GT(row.where.size(), row.where.starts_with(kNowhere) ? kNowhere.size() + 20 : 5u) << "line " << row.line;
      EXPECT_EQ(row.where.find("ignored"), std::string::npos) << "line " << row.line << ": say why";
    }
  }
}

}  // namespace
}  // namespace tenon
