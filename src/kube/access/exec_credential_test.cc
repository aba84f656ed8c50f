// SPDX-License-Identifier: Apache-2.0
#include "kube/access/exec_credential.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/testing/temp_folder.h"

namespace tenon::kube {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const ExecPlugin kPlugin{.command = "aws",
                         .args = {},
                         .env = {},
                         .api_version = std::string(kExecV1beta1),
                         .info = R"({"kind":"ExecCredential"})",
                         .install_hint = "see\nthe manual\n",
                         .where = "config: users \"u\": exec"};

std::string answer(const std::string& status, std::string_view version = kExecV1beta1) {
  return R"({"kind":"ExecCredential","apiVersion":")" + std::string(version) + R"(","status":{)" + status + "}}";
}

TEST(ExecCredential, TokensAndCertificates) {
  const auto token = parse_exec_credential(
      answer(R"("token":"k8s-aws-v1.abc","expirationTimestamp":"2026-09-01T14:00:00Z")") + "\n", kPlugin);
  ASSERT_TRUE(token) << token.error().message;
  EXPECT_EQ(token->token, "k8s-aws-v1.abc");
  EXPECT_EQ(format_rfc3339(token->expires), "2026-09-01T14:00:00Z");
  const auto both =
      parse_exec_credential(answer(R"("token":"t","clientCertificateData":"CERT","clientKeyData":"KEY")"), kPlugin);
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_EQ(both->client_cert_pem, "CERT");
  EXPECT_EQ(both->client_key_pem, "KEY");
  EXPECT_EQ(both->expires, kNever);
}

TEST(ExecCredential, WhatIsWrongIsNamedWithoutTheOutput) {
  const std::pair<std::string, std::string> table[] = {
      {"hush", "what it prints is not JSON"},
      {"", "what it prints is not JSON"},
      {R"({"kind":"Secret","token":"hush"})", "it prints no ExecCredential"},
      {answer(R"("token":"hush")", kExecV1),
       "it prints the apiVersion \"client.authentication.k8s.io/v1\", and the kubeconfig names "
       "client.authentication.k8s.io/v1beta1"},
      {answer(R"("clientKeyData":"hush")"), "it prints only one of clientCertificateData and clientKeyData"},
      {answer(""), "it prints neither a token nor a certificate"},
      {answer(R"("token":"hush\nX-Evil: 1")"), "its token contains a line break"},
      {answer(R"("token":"hush","expirationTimestamp":"soon")"), "its expirationTimestamp is not a time"},
  };
  for (const auto& [text, message] : table) {
    const auto got = parse_exec_credential(text, kPlugin);
    ASSERT_FALSE(got) << text;
    EXPECT_EQ(got.error().code, Code::kForbidden);
    EXPECT_THAT(got.error().message, HasSubstr("config: users \"u\": exec: aws: " + message)) << text;
    EXPECT_THAT(got.error().message, Not(HasSubstr("hush")));
  }
}

// A real program that answers as kubectl's documentation and `aws eks get-token` do.
TEST(ExecPlugin, RunsWithItsArgumentsVariablesAndInfo) {
  const TempFolder folder;
  const std::string program = folder.write("get-token", R"(#!/bin/sh
[ "$*" = 'eks get-token $(id) *' ] || { echo "wrong arguments: $*" >&2; exit 2; }
[ "$AWS_PROFILE" = dev ] || exit 3
[ "$KUBERNETES_EXEC_INFO" = '{"kind":"ExecCredential"}' ] || exit 4
cat <<END
{"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1beta1", "spec": {},
 "status": {"expirationTimestamp": "2026-09-01T14:00:00Z", "token": "k8s-aws-v1.aHR0cHM6Ly9zdHM"}}
END
)");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  ExecPlugin plugin = kPlugin;
  plugin.command = program;
  plugin.args = {"eks", "get-token", "$(id)", "*"};  // no shell reads them
  plugin.env = {{"AWS_PROFILE", "dev"}};
  const auto got = run_exec_plugin(plugin, runtime::run_program, {});
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->token, "k8s-aws-v1.aHR0cHM6Ly9zdHM");

  plugin.args = {"none"};
  const auto failed = run_exec_plugin(plugin, runtime::run_program, {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::kForbidden);
  EXPECT_EQ(failed.error().message, "config: users \"u\": exec: " + program + ": exit status 2: wrong arguments: none");
}

TEST(ExecPlugin, AMissingProgramIsReportedWithItsInstallHint) {
  ExecPlugin plugin = kPlugin;
  plugin.command = "no-such-program-here";
  const auto missing = run_exec_plugin(plugin, runtime::run_program, {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Code::kNotFound);
  EXPECT_EQ(missing.error().message,
            "config: users \"u\": exec: no-such-program-here: cannot be started: No such file or directory; how to "
            "install it: see\nthe manual");
}

}  // namespace
}  // namespace tenon::kube
