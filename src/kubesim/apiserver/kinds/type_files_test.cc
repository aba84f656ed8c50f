// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/kinds/type_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::kubesim::apiserver {
namespace {

using ::testing::ElementsAre;

std::string error_of(std::string_view text) {
  const auto read = read_types({{"a.txt", text}});
  return read ? "" : read.error().message;
}

TEST(TypeFiles, OfTheBinaryAreRead) {
  for (const DataFile& file : builtin_type_files()) {
    const auto records = read_records(file);
    ASSERT_TRUE(records) << records.error().message;
    EXPECT_FALSE(records->empty()) << file.name;
  }
  const auto types = read_types(builtin_type_files());
  ASSERT_TRUE(types) << types.error().message;
  EXPECT_EQ((*types)->find("ServiceSpec")->member("ports")->shape->list_keys,
            (std::vector<std::string>{"port", "protocol"}));
}

TEST(TypeFiles, SetEveryMark) {
  const auto types = read_types({{"a.txt",
                                  "Spec\n"
                                  "  ports   []Port        1    required merge=port map=port,protocol retainKeys\n"
                                  "  names   []string      2    omitempty merge set\n"
                                  "  labels  {}quantity    3.1  atomic\n"},
                                 {"b.txt",
                                  "Port atomic\n"
                                  "  port      int     1\n"
                                  "  protocol  string  2\n"}});
  ASSERT_TRUE(types) << types.error().message;
  const Shape& spec = *(*types)->find("Spec");
  const Member& ports = *spec.member("ports");
  EXPECT_TRUE(ports.required && ports.shape->retain_keys && ports.shape->patch_merges);
  EXPECT_EQ(ports.shape->merge_key, "port");
  EXPECT_EQ(ports.shape->list_type, Shape::ListType::kMap);
  EXPECT_THAT(ports.shape->list_keys, ElementsAre("port", "protocol"));
  EXPECT_EQ(ports.shape->element, (*types)->find("Port"));
  EXPECT_TRUE(ports.shape->element->atomic && !spec.atomic);
  const Member& names = *spec.member("names");
  EXPECT_TRUE(names.omit_zero && names.shape->patch_merges && names.shape->merge_key.empty());
  EXPECT_EQ(names.shape->list_type, Shape::ListType::kSet);
  EXPECT_EQ(names.shape->element->kind, Shape::Kind::kString);
  const Member& labels = *spec.member("labels");
  EXPECT_TRUE(labels.atomic && !labels.required && !labels.omit_zero);
  EXPECT_EQ(labels.shape->kind, Shape::Kind::kMap);
  EXPECT_EQ(labels.shape->element->kind, Shape::Kind::kQuantity);
  EXPECT_THAT(labels.number, ElementsAre(3u, 1u));
}

TEST(TypeFiles, RefuseBrokenTypes) {
  EXPECT_EQ(error_of("A owned\n"), "a.txt:1: A: a type is its name and, optionally, 'atomic'");
  EXPECT_EQ(error_of("A\nB\nA\n"), "a.txt:3: A: defined twice");
  EXPECT_EQ(error_of("string\n"), "a.txt:1: string: the name of a scalar");
}

TEST(TypeFiles, RefuseBrokenFields) {
  const struct {
    std::string_view fields, fault;
  } kRows[] = {
      {"  a  int\n", "a.txt:2: A: a: a field is its name, type, number and marks"},
      {"  a  int  1\n  a  int  2\n", "a.txt:3: A: a: defined twice"},
      {"  a  int  1\n  b  int  1\n", "a.txt:3: A: b: has the number of the field 'a'"},
      {"  a  int  0\n", "a.txt:2: A: a: number '0' is not positive"},
      {"  a  int  1.\n", "a.txt:2: A: a: number '1.' is not positive"},
      {"  a  int  one\n", "a.txt:2: A: a: number 'one' is not positive"},
      {"  a  []B  1\n", "a.txt:2: A: a: unknown type 'B'"},
      {"  a  int  1  sorted\n", "a.txt:2: A: a: unknown mark 'sorted'"},
      {"  a  []A  1  map=\n", "a.txt:2: A: a: unknown mark 'map='"},
      {"  a  int  1  atomic\n", "a.txt:2: A: a: mark 'atomic' is for maps and objects"},
      {"  a  []int  1  retainKeys\n", "a.txt:2: A: a: mark 'retainKeys' is for objects and lists of objects"},
      {"  a  []A  1  set\n", "a.txt:2: A: a: mark 'set' is for lists of scalars"},
      {"  a  {}int  1  merge\n", "a.txt:2: A: a: mark 'merge' is for lists of scalars"},
      {"  a  []int  1  merge=b\n", "a.txt:2: A: a: mark 'merge=b' is for lists of objects"},
      {"  a  []A  1  merge=b\n", "a.txt:2: A: a: A has no field 'b'"},
      {"  a  []A  1  map=a,b\n", "a.txt:2: A: a: A has no field 'b'"},
  };
  for (const auto& row : kRows) EXPECT_EQ(error_of("A\n" + std::string(row.fields)), row.fault);
}

}  // namespace
}  // namespace tenon::kubesim::apiserver
