// SPDX-License-Identifier: Apache-2.0
#include "kubesim/apiserver/base/data_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::kubesim::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string error_of(std::string_view text) {
  const auto read = read_records({"a.txt", text});
  return read ? "" : read.error().message;
}

TEST(DataFiles, HaveRecordsWithEntries) {
  const DataFile file{"a.txt",
                      "# a comment\n"
                      "\n"
                      "Node  Pod\n"
                      "  \"OS Image\"  string  \"\"\n"
                      "  # another comment\n"
                      "    Age\n"
                      "Secret"};
  const auto read = read_records(file);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 2u);
  EXPECT_THAT((*read)[0].head.words, ElementsAre("Node", "Pod"));
  EXPECT_EQ((*read)[0].head.number, 3u);
  ASSERT_EQ((*read)[0].entries.size(), 2u);
  EXPECT_THAT((*read)[0].entries[0].words, ElementsAre("OS Image", "string", ""));
  EXPECT_EQ((*read)[0].entries[1].number, 6u);
  EXPECT_THAT((*read)[1].head.words, ElementsAre("Secret"));
  EXPECT_THAT((*read)[1].entries, IsEmpty());
}

TEST(DataFiles, RefuseBrokenLines) {
  EXPECT_EQ(error_of("  Age\n"), "a.txt:1: an indented line above the first record");
  EXPECT_EQ(error_of("Node\n\tAge\n"), "a.txt:2: a tab or a carriage return");
  EXPECT_EQ(error_of("Node\n\n  \"OS Image\n"), "a.txt:3: a quote without its end");
  EXPECT_EQ(error_of("Node\n  \"OS\"Image\n"), "a.txt:2: no space behind a quote");
}

TEST(DataFiles, FaultsNameThePlace) {
  EXPECT_EQ(fault({"a.txt", 7, "Node", "Age"}, "unknown").value().message, "a.txt:7: Node: Age: unknown");
  EXPECT_EQ(fault({"a.txt", 7, "Node"}, "unknown").value().message, "a.txt:7: Node: unknown");
}

}  // namespace
}  // namespace tenon::kubesim::apiserver
