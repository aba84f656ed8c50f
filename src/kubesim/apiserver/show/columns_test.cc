// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/show/columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "json/json.h"
#include "kubesim/apiserver/kinds/builtin_resources.h"
#include "kubesim/apiserver/kinds/shape.h"

namespace tenon::kubesim::apiserver {
namespace {

using ::testing::ElementsAre;

std::string error_of(std::string_view text) {
  const auto read = read_columns({{"a.txt", text}});
  return read ? "" : read.error().message;
}

// Whether objects of the shape can have a value at the path.
bool has_path(const Shape* shape, const std::vector<std::string>& path) {
  for (const std::string& step : path) {
    if (shape->kind == Shape::Kind::kMap) {
      shape = shape->element;
    } else {
      const Member* member = shape->member(step);
      if (member == nullptr) return false;
      shape = member->shape;
    }
  }
  return true;
}

InfoPtr resource_of(const KindColumns& kind) {
  for (const InfoPtr& info : builtin_resources()) {
    if (info->group == kind.group && info->kind == kind.kind) return info;
  }
  return nullptr;
}

TEST(Columns, OfTheBinaryFitTheirKinds) {
  const auto kinds = read_columns(builtin_column_files());
  ASSERT_TRUE(kinds) << kinds.error().message;
  for (const KindColumns& kind : *kinds) {
    const InfoPtr info = resource_of(kind);
    ASSERT_NE(info, nullptr) << kind.kind << "." << kind.group;
    // events.k8s.io is stored as the core group's events, and its rows show those.
    const Shape* shape = builtin_shape(info->stored_api_version(), kind.kind);
    for (const KindColumn& column : kind.columns) {
      if (shape == nullptr || column.path.empty()) continue;
      EXPECT_TRUE(has_path(shape, column.path)) << kind.kind << ": " << column.definition.name;
    }
  }
}

TEST(Columns, UseEveryFunctionAndNoNameTwice) {
  const auto kinds = read_columns(builtin_column_files());
  ASSERT_TRUE(kinds) << kinds.error().message;
  std::set<std::string_view> used, known;
  for (const KindColumns& kind : *kinds) {
    for (const KindColumn& column : kind.columns) used.insert(column.function->name);
  }
  for (const auto functions : {common_cells(), core_cells(), workload_cells(), other_cells()}) {
    for (const CellFunction& function : functions) EXPECT_TRUE(known.insert(function.name).second) << function.name;
  }
  EXPECT_EQ(used, known);
}

TEST(Columns, ComputeCellsInTheirOrder) {
  const auto kinds = read_columns({{"a.txt",
                                    "Pod Web.g.io\n"
                                    "  Name         string   0  name\n"
                                    "  \"Node Name\"  string   1  text     spec.nodeName \"<not bound>\"\n"
                                    "  Ports        integer  0  count    spec.ports\n"
                                    "  Size         integer  0  integer  spec.size\n"
                                    "  Last         date     0  since    spec.last never\n"
                                    "  Target       string   0  reference  spec.target\n"}});
  ASSERT_TRUE(kinds) << kinds.error().message;
  ASSERT_EQ(kinds->size(), 2u);
  const KindColumns& web = (*kinds)[1];
  EXPECT_EQ(web.kind + " " + web.group, "Web g.io");
  EXPECT_EQ(web.columns[1].definition.name, "Node Name");
  EXPECT_EQ(web.columns[1].definition.priority, 1);
  EXPECT_EQ(web.columns[2].definition.type, "integer");
  const Instant now = *parse_rfc3339("2026-01-01T00:10:00Z");
  const auto cells = [&](std::string_view object) { return json::to_string(cells_of(web, *json::parse(object), now)); };
  EXPECT_EQ(cells(R"({"metadata":{"name":"w"},"spec":{"nodeName":"n","ports":[1,2],"size":3,
                     "last":"2026-01-01T00:00:00Z","target":{"kind":"Pod","name":"p"}}})"),
            R"(["w","n",2,3,"10m","Pod/p"])");
  EXPECT_EQ(cells(R"({"metadata":{"name":"w"},"spec":7})"), R"(["w","<not bound>",0,0,"never","/"])");
}

TEST(Columns, RefuseBrokenRows) {
  const struct {
    std::string_view rows, fault;
  } kRows[] = {
      {"", "a.txt:1: Pod: a kind without columns"},
      {"  IP  string  0\n", "a.txt:2: Pod: IP: a column is its name, type, priority and function"},
      {"  IP  text  0  name\n", "a.txt:2: Pod: IP: unknown type 'text'"},
      {"  IP  string  wide  name\n", "a.txt:2: Pod: IP: priority 'wide' is no number from 0"},
      {"  IP  string  -1  name\n", "a.txt:2: Pod: IP: priority '-1' is no number from 0"},
      {"  IP  string  0  pod_ip\n", "a.txt:2: Pod: IP: unknown function 'pod_ip'"},
      {"  IP  string  0  name  status.podIP\n", "a.txt:2: Pod: IP: function 'name' takes no path"},
      {"  IP  string  0  text\n", "a.txt:2: Pod: IP: function 'text' needs the path of a field"},
      {"  IP  string  0  text  .status\n", "a.txt:2: Pod: IP: path '.status' has an empty step"},
      {"  IP  string  0  count  a b\n", "a.txt:2: Pod: IP: unknown argument 'b' of function 'count'"},
      {"  IP  string  0  text  a b c\n", "a.txt:2: Pod: IP: unknown argument 'c' of function 'text'"},
      {"  IP  string  0  name\n  IP  string  0  name\n", "a.txt:3: Pod: IP: is listed twice"},
      {"  IP  string  0  name\nWeb Pod\n  IP  string  0  name\n", "a.txt:3: Pod: is listed twice"},
  };
  for (const auto& row : kRows) EXPECT_EQ(error_of("Pod\n" + std::string(row.rows)), row.fault);
}

}  // namespace
}  // namespace tenon::kubesim::apiserver
