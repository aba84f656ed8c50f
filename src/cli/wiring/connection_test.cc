// SPDX-License-Identifier: Apache-2.0
#include "cli/wiring/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/testing/temp_folder.h"

namespace tenon::cli {
namespace {

using ::testing::HasSubstr;

std::string config(const std::string& name, const std::string& current) {
  return "current-context: " + current + "\ncontexts: [{name: " + name + ", context: {cluster: " + name +
         "}}]\nclusters: [{name: " + name + ", cluster: {server: \"https://" + name + "\"}}]\n";
}

class FindConnectionTest : public ::testing::Test {
 protected:
  void SetUp() override { ::unsetenv("KUBERNETES_SERVICE_HOST"); }
  // Returns the server, or the error.
  std::string find(const std::string& flag, const std::string& context, const std::string& variable) const {
    const auto found = find_connection(
        flag, context, [&](const std::string& name) { return name == "KUBECONFIG" ? variable : std::string(); });
    return found ? found->server : found.error().message;
  }
  const TempFolder folder_;
  const std::string a_ = folder_.write("a", config("a", "a")), b_ = folder_.write("b", config("b", "b"));
};

TEST_F(FindConnectionTest, TheFlagPrecedesTheVariableWhichMayNameSeveralFiles) {
  EXPECT_EQ(find(b_, "", a_), "https://b");
  EXPECT_EQ(find("", "", a_), "https://a");
  EXPECT_EQ(find("", "", ":" + a_ + ":" + b_), "https://a");
  EXPECT_EQ(find("", "b", a_ + ":" + b_), "https://b");
  EXPECT_EQ(find("", "", folder_.file("missing") + ":" + b_), "https://b");
}

TEST_F(FindConnectionTest, ErrorsNameWhereTheFileComesFrom) {
  EXPECT_THAT(find(folder_.file("missing"), "", a_), HasSubstr("--kubeconfig: reading the kubeconfig: "));
  EXPECT_THAT(find(b_, "a", a_), HasSubstr("--kubeconfig: " + b_ + ": no entry \"a\" in contexts"));
  EXPECT_THAT(find("", "c", a_ + ":" + b_), HasSubstr("KUBECONFIG: " + a_ + ":" + b_ + ": no entry \"c\""));
  EXPECT_THAT(find("", "", ""), HasSubstr("give --kubeconfig FILE, set KUBECONFIG, or run in a pod"));
}

}  // namespace
}  // namespace tenon::cli
