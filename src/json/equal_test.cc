// SPDX-License-Identifier: Apache-2.0
#include "json/equal.h"

#include <gtest/gtest.h>

#include "json/json.h"

namespace tenon::json {
namespace {

// The result equals that of the library's own ==, for each pair.
TEST(Equal, SaysWhatTheLibrarySays) {
  const std::vector<std::string> documents{"null",
                                           "true",
                                           "false",
                                           "0",
                                           "1",
                                           "1.0",
                                           "-1",
                                           "18446744073709551615",
                                           R"("")",
                                           R"("1")",
                                           "[]",
                                           "[1,2]",
                                           "[2,1]",
                                           "[1]",
                                           "{}",
                                           R"({"a":1})",
                                           R"({"a":1,"b":{"c":[1,{"d":null}]}})",
                                           R"({"b":{"c":[1,{"d":null}]},"a":1})",
                                           R"({"b":{"c":[1,{"d":0}]},"a":1})",
                                           R"({"b":{"c":[1,{"e":null}]},"a":1})",
                                           R"({"a":1,"c":2})",
                                           R"({"a":{}})",
                                           R"({"a":[]})"};
  for (const std::string& left : documents) {
    for (const std::string& right : documents) {
      const value a = *parse(left), b = *parse(right);
      EXPECT_EQ(equal(a, b), a == b) << left << " and " << right;
    }
  }
}

TEST(Equal, TellsSignedFromUnsignedByWhatTheySay) {
  EXPECT_TRUE(equal(value(int64_t{7}), value(uint64_t{7})));
  EXPECT_FALSE(equal(value(int64_t{-1}), value(uint64_t{UINT64_MAX})));
}

}  // namespace
}  // namespace tenon::json
