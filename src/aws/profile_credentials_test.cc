// SPDX-License-Identifier: Apache-2.0
#include "aws/profile_credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "aws/command_words.h"
#include "aws/testing/canned.h"
#include "base/testing/temp_folder.h"
#include "runtime/subprocess.h"

namespace tenon::aws {
namespace {

using testing::CannedTransport;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ManualRuntime;
using ::testing::Not;

constexpr const char* kSecrets[] = {"base-secret", "hop-secret",    "sso-access",
                                    "sso-refresh", "client-secret", "process-secret"};

struct World {
  TempFolder home;
  std::map<std::string, std::string> variables{{"HOME", home.path()}, {"AWS_PROFILE", "dev"}};
  CannedTransport transport, local;
  ManualRuntime runtime;

  explicit World(const std::string& config) { variables["AWS_CONFIG_FILE"] = home.write("config", config); }
  Result<Credentials> resolve() {
    CredentialsContext context{transport, local, runtime,
                               [this](const std::string& name) {
                                 const auto it = variables.find(name);
                                 return it == variables.end() ? std::string() : it->second;
                               },
                               "eu-west-1"};
    auto provider = TRY(make_default_credentials(context));
    return provider->get({});
  }
  std::string problem() {
    const auto credentials = resolve();
    const std::string text = credentials ? "" : credentials.error().message;
    for (const char* secret : kSecrets) EXPECT_THAT(text, Not(HasSubstr(secret)));
    return text;
  }
};

std::string sts_answer(const std::string& key) {
  return "<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>" + key +
         "</AccessKeyId><SecretAccessKey>hop-secret</SecretAccessKey><SessionToken>t</SessionToken><Expiration>"
         "2026-09-01T13:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>";
}

constexpr const char* kKeys = "aws_access_key_id = AKBASE\naws_secret_access_key = base-secret\n";

TEST(ProfileRole, IsAssumedAlthoughTheProfileHasKeys) {
  World world(std::string("[profile dev]\n") + kKeys +
              "role_arn = arn:aws:iam::1:role/dev\nsource_profile = base\nexternal_id = ext\nrole_session_name = me\n"
              "duration_seconds = 900\n[profile base]\n" +
              kKeys);
  world.transport.answer(200, sts_answer("ASIADEV"));
  const auto credentials = world.resolve();
  ASSERT_TRUE(credentials) << credentials.error().message;
  EXPECT_EQ(credentials->access_key_id, "ASIADEV");
  EXPECT_EQ(format_rfc3339(credentials->expires), "2026-09-01T13:00:00Z");
  ASSERT_EQ(world.transport.requests.size(), 1u);
  EXPECT_EQ(world.transport.requests[0].url, "https://sts.eu-west-1.amazonaws.com/");
  EXPECT_THAT(std::string(world.transport.requests[0].headers.get("Authorization")), HasSubstr("Credential=AKBASE/"));
  EXPECT_THAT(world.transport.form(0),
              ElementsAre("Action=AssumeRole", "Version=2011-06-15", "RoleArn=arn:aws:iam::1:role/dev",
                          "RoleSessionName=me", "ExternalId=ext", "DurationSeconds=900"));
}

TEST(ProfileRole, ChainsOverSeveralHops) {
  World world(std::string("[profile dev]\nrole_arn = r3\nsource_profile = b\n[profile b]\nrole_arn = r2\n"
                          "source_profile = c\n[profile c]\nrole_arn = r1\nsource_profile = d\n[profile d]\n") +
              kKeys);
  world.transport.answer(200, sts_answer("AS1")).answer(200, sts_answer("AS2")).answer(200, sts_answer("AS3"));
  EXPECT_EQ(world.resolve()->access_key_id, "AS3");
  ASSERT_EQ(world.transport.requests.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(world.transport.form_has(i, "RoleArn=r" + std::to_string(i + 1)));
    EXPECT_TRUE(world.transport.form_has(i, "RoleSessionName=tenon"));
    EXPECT_THAT(std::string(world.transport.requests[i].headers.get("Authorization")),
                HasSubstr(i == 0 ? "Credential=AKBASE/" : "Credential=AS" + std::to_string(i) + "/"));
    EXPECT_EQ(world.transport.requests[i].headers.get("X-Amz-Security-Token"), i == 0 ? "" : "t");
  }
}

TEST(ProfileRole, FromTheKeysOfItsOwnProfileIfItNamesItself) {
  World world(std::string("[profile dev]\nrole_arn = r1\nsource_profile = dev\n") + kKeys);
  world.transport.answer(200, sts_answer("AS1"));
  EXPECT_EQ(world.resolve()->access_key_id, "AS1");
  EXPECT_THAT(std::string(world.transport.requests.at(0).headers.get("Authorization")), HasSubstr("=AKBASE/"));
}

TEST(ProfileRole, FromCredentialsOfThisHost) {
  const std::string role = "[profile dev]\nrole_arn = r1\ncredential_source = ";
  World environment(role + "Environment\n");
  EXPECT_EQ(environment.problem(), "AWS profile dev: credential_source: Environment has no credentials");

  World container(role + "EcsContainer\n");
  container.variables["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] = "/task";
  container.local.answer(
      200, R"({"AccessKeyId":"TASK","SecretAccessKey":"q","Token":"r","Expiration":"2026-09-01T18:00:00Z"})");
  container.transport.answer(200, sts_answer("AS1"));
  EXPECT_EQ(container.resolve()->access_key_id, "AS1");
  EXPECT_EQ(container.local.requests.at(0).url, "http://169.254.170.2/task");
  EXPECT_THAT(std::string(container.transport.requests.at(0).headers.get("Authorization")), HasSubstr("=TASK/"));

  World instance(role + "Ec2InstanceMetadata\n");
  instance.local.answer(200, "imds-token").answer(200, "node-role");
  instance.local.answer(
      200, R"({"AccessKeyId":"NODE","SecretAccessKey":"q","Token":"r","Expiration":"2026-09-01T18:00:00Z"})");
  instance.transport.answer(200, sts_answer("AS1"));
  EXPECT_EQ(instance.resolve()->access_key_id, "AS1");
  EXPECT_THAT(std::string(instance.transport.requests.at(0).headers.get("Authorization")), HasSubstr("=NODE/"));
}

TEST(ProfileRole, ThatIsRefusedIsNamed) {
  World world(std::string("[profile dev]\nrole_arn = r1\nsource_profile = b\n[profile b]\n") + kKeys);
  world.transport.answer(
      403, "<ErrorResponse><Error><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>");
  EXPECT_EQ(world.problem(), "AWS profile dev: r1: sts AssumeRole: AccessDenied: no");
}

TEST(Profiles, ThatContradictThemselvesAreRefused) {
  const std::string role = "[profile dev]\nrole_arn = r1\n", keys = kKeys;
  const std::pair<std::string, std::string> cases[] = {
      {role + keys, "role_arn needs one of source_profile, credential_source and web_identity_token_file"},
      {role + "source_profile = b\ncredential_source = Environment\n[profile b]\n" + keys, "role_arn needs one of"},
      {role + "source_profile = b\n", "source_profile: there is no profile b"},
      {role + "source_profile = b\n[profile b]\nregion = x\n", "source_profile: profile b holds no credentials"},
      {role + "source_profile = dev\n", "source_profile: dev -> dev has no end"},
      {role + "source_profile = b\n[profile b]\nrole_arn = r2\nsource_profile = dev\n", "dev -> b -> dev has no end"},
      {role + "source_profile = b\nmfa_serial = m\n[profile b]\n" + keys, "mfa_serial: a code cannot be entered here"},
      {role + "source_profile = b\nduration_seconds = 1h\n[profile b]\n" + keys, "duration_seconds: must be a number"},
      {role + "source_profile = b\nduration_seconds = 899\n[profile b]\n" + keys, "must be a number from 900 to 43200"},
      {role + "credential_source = Elsewhere\n", "must be Environment, Ec2InstanceMetadata or EcsContainer, not Else"},
      {"[profile dev]\naws_access_key_id = A\n", "aws_access_key_id and aws_secret_access_key must be set together"},
      {"[profile dev]\ncredential_process = 'x\n", "credential_process: a quote is not closed"},
      {"[profile dev]\nsso_session = s\n", "there is no section [sso-session s]"},
      {"[profile dev]\nsso_session = s\n[sso-session s]\nsso_region = x\n", "sso_start_url is missing"},
      {"[profile dev]\nsso_start_url = u\nsso_region = x\nsso_account_id = 1\n", "sso_role_name is missing"},
  };
  for (const auto& [config, message] : cases) {
    World world(config);
    const auto credentials = world.resolve();
    ASSERT_FALSE(credentials) << config;
    EXPECT_EQ(credentials.error().code, Code::kInvalid) << config;
    EXPECT_THAT(world.problem(), ::testing::StartsWith("AWS profile ")) << config;
    EXPECT_THAT(world.problem(), HasSubstr(message)) << config;
    EXPECT_TRUE(world.transport.requests.empty()) << config;
  }
}

TEST(Profiles, MayNameEachOtherIfOneHasKeys) {
  World world(std::string("[profile dev]\nrole_arn = r1\nsource_profile = b\n[profile b]\nrole_arn = r2\n"
                          "source_profile = dev\n") +
              kKeys);
  world.transport.answer(200, sts_answer("AS1"));
  EXPECT_EQ(world.resolve()->access_key_id, "AS1");
  EXPECT_TRUE(world.transport.form_has(0, "RoleArn=r1"));
}

struct SsoWorld : World {
  SsoWorld()
      : World(
            "[profile dev]\nsso_session = my-sso\nsso_account_id = 123456789012\nsso_role_name = Some Role\n"
            "[sso-session my-sso]\nsso_start_url = https://u.test/start\nsso_region = us-west-2\n"
            "[profile old]\nsso_start_url = https://u.test/start\nsso_region = us-west-2\n"
            "sso_account_id = 1\nsso_role_name = r\n") {
    std::filesystem::create_directories(home.path() + "/.aws/sso/cache");
  }
  // The names are SHA-1 of "my-sso" and of "https://u.test/start".
  std::string path(bool session = true) const {
    const std::string folder = home.path() + "/.aws/sso/cache/";
    if (session) return folder + "0ad374308c5a4e22f723adf10145eafad7c4031c.json";
    return folder + "d58b3da7658fdb2ca6a62d4eaeb5a00d8f5dfdd3.json";
  }
  void token(const std::string& expires, bool session = true) const {
    std::ofstream(path(session)) << R"({"startUrl":"https://u.test/start","region":"us-west-2","clientId":"id",)"
                                 << R"("accessToken":"sso-access","expiresAt":")" << expires
                                 << R"(","clientSecret":"client-secret","refreshToken":"sso-refresh",)"
                                 << R"("registrationExpiresAt":"2026-10-01T00:00:00Z"})";
  }
  std::string token_file() const {
    std::ifstream file(path());
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

constexpr const char* kRoleCredentials =
    R"({"roleCredentials":{"accessKeyId":"ASSO","secretAccessKey":"s","sessionToken":"t","expiration":1788267600000}})";

TEST(Sso, ATokenBuysCredentialsOfTheRole) {
  SsoWorld world;
  world.token("2026-09-01T20:00:00Z");
  world.transport.answer(200, kRoleCredentials);
  const auto credentials = world.resolve();
  ASSERT_TRUE(credentials) << credentials.error().message;
  EXPECT_EQ(credentials->access_key_id, "ASSO");
  EXPECT_EQ(format_rfc3339(credentials->expires), "2026-09-01T13:00:00Z");
  const http::Request& asked = world.transport.requests.at(0);
  EXPECT_EQ(asked.url,
            "https://portal.sso.us-west-2.amazonaws.com/federation/credentials?role_name=Some%20Role&account_id="
            "123456789012");
  EXPECT_EQ(asked.method, "GET");
  EXPECT_EQ(asked.headers.get("x-amz-sso_bearer_token"), "sso-access");
  EXPECT_FALSE(asked.headers.has("Authorization"));
}

TEST(Sso, ATokenIsRefreshedAndWrittenBack) {
  SsoWorld world;
  world.token("2026-09-01T12:10:00Z");
  world.transport.answer(200, R"({"accessToken":"sso-access-2","expiresIn":3600,"refreshToken":"sso-refresh-2"})");
  world.transport.answer(200, kRoleCredentials);
  ASSERT_TRUE(world.resolve());
  EXPECT_EQ(world.transport.requests.at(0).url, "https://oidc.us-west-2.amazonaws.com/token");
  EXPECT_EQ(world.transport.requests[0].body,
            R"({"grantType":"refresh_token","clientId":"id","clientSecret":"client-secret",)"
            R"("refreshToken":"sso-refresh"})");
  EXPECT_EQ(world.transport.requests.at(1).headers.get("x-amz-sso_bearer_token"), "sso-access-2");
  const std::string written = world.token_file();
  EXPECT_THAT(written, HasSubstr(R"("accessToken":"sso-access-2")"));
  EXPECT_THAT(written, HasSubstr(R"("refreshToken":"sso-refresh-2")"));
  EXPECT_THAT(written, HasSubstr(R"("expiresAt":"2026-09-01T13:00:00Z")"));
  EXPECT_THAT(written, HasSubstr(R"("clientId":"id")"));
  struct stat status{};
  ASSERT_EQ(stat(world.path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST(Sso, WithoutAGoodTokenItSaysHowToLogIn) {
  const std::string log_in = ": run aws sso login --profile ";
  SsoWorld world;
  EXPECT_THAT(world.problem(), HasSubstr("there is no SSO token: cannot read "));
  EXPECT_THAT(world.problem(), HasSubstr(log_in + "dev"));
  world.token("2026-09-01T11:59:00Z");
  world.transport.answer(400, R"({"error":"invalid_grant","error_description":"gone"})");
  EXPECT_EQ(world.problem(),
            "AWS profile dev: the SSO token has expired: sso_oidc CreateToken: invalid_grant: gone" + log_in + "dev");
  world.token("2026-09-01T20:00:00Z");
  world.transport.answer(401, R"({"message":"Session token not found or invalid"})",
                         {{"x-amzn-errortype", "UnauthorizedException"}});
  EXPECT_EQ(world.problem(),
            "AWS profile dev: sso GetRoleCredentials: UnauthorizedException: Session token not found or invalid" +
                log_in + "dev");
  world.variables["AWS_PROFILE"] = "old";
  world.token("2026-09-01T11:59:00Z", false);
  EXPECT_EQ(world.problem(), "AWS profile old: the SSO token has expired" + log_in + "old");
}

TEST(CredentialProcess, ItsOutputIsTheCredentials) {
  World world("");
  const std::string script = world.home.write("print", "");
  const auto prints = [&](const std::string& text) {
    world.home.write("print", text);
    world.variables["AWS_CONFIG_FILE"] =
        world.home.write("config", "[profile dev]\ncredential_process = /bin/cat '" + script + "'\n");
  };
  prints(R"({"Version":1,"AccessKeyId":"AP","SecretAccessKey":"process-secret","SessionToken":"t",)"
         R"("Expiration":"2026-09-01T14:00:00Z"})");
  const auto credentials = world.resolve();
  ASSERT_TRUE(credentials) << credentials.error().message;
  EXPECT_EQ(credentials->access_key_id, "AP");
  EXPECT_EQ(credentials->session_token, "t");
  EXPECT_EQ(format_rfc3339(credentials->expires), "2026-09-01T14:00:00Z");
  prints(R"({"Version":1,"AccessKeyId":"AP","SecretAccessKey":"process-secret"})");
  EXPECT_EQ(world.resolve()->expires, kNever);

  const std::string where = "AWS profile dev: credential_process: ";
  prints(R"({"Version":2,"AccessKeyId":"AP","SecretAccessKey":"process-secret"})");
  EXPECT_EQ(world.problem(), where + "its Version is not 1");
  prints(R"({"Version":1,"SecretAccessKey":"process-secret"})");
  EXPECT_EQ(world.problem(), where + "it prints no AccessKeyId and SecretAccessKey");
  prints(R"({"Version":1,"AccessKeyId":"AP","SecretAccessKey":"process-secret","Expiration":"soon"})");
  EXPECT_THAT(world.problem(), HasSubstr("its Expiration is not a time"));
  prints("process-secret");
  EXPECT_EQ(world.problem(), where + "what it prints is not JSON");
  prints(std::string(runtime::kMaxProcessOutput + 1, ' '));
  EXPECT_EQ(world.problem(), where + "/bin/cat: it prints more than 65536 bytes");
}

TEST(SplitCommand, AsPythonsShlex) {
  EXPECT_THAT(*split_command(R"(a  'b c' "d \"e\" \n" f\ g '' h'i'"j")"),
              ElementsAre("a", "b c", R"(d "e" \n)", "f g", "", "hij"));
  EXPECT_EQ(split_command("a 'b").error().message, "a quote is not closed");
  EXPECT_EQ(split_command("  ").error().message, "it names no program");
}

}  // namespace
}  // namespace tenon::aws
