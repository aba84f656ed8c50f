// SPDX-License-Identifier: Apache-2.0
#include "aws/credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "aws/instance_metadata.h"
#include "aws/testing/canned.h"
#include "base/testing/temp_folder.h"
#include "http/server.h"
#include "runtime/sim.h"

namespace tenon::aws {
namespace {

using testing::CannedTransport;
using ::testing::HasSubstr;
using testing::ManualRuntime;

class TempFile {
 public:
  explicit TempFile(const std::string& text) { write(text); }
  void write(const std::string& text) { path_ = folder_.write("file", text); }
  const std::string& path() const { return path_; }

 private:
  const TempFolder folder_;
  std::string path_;
};

struct World {
  std::map<std::string, std::string> variables{{"HOME", "/nonexistent"}};
  CannedTransport transport, local;
  ManualRuntime runtime;
  CredentialsContext context() {
    return {transport, local, runtime,
            [this](const std::string& name) {
              const auto it = variables.find(name);
              return it == variables.end() ? std::string() : it->second;
            },
            "us-east-1"};
  }
  Result<Credentials> resolve() {
    auto provider = TRY(make_default_credentials(context()));
    return provider->get({});
  }
};

constexpr const char* kStsAnswer =
    "<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>ASIA1</AccessKeyId>"
    "<SecretAccessKey>s1</SecretAccessKey><SessionToken>t1</SessionToken><Expiration>2026-09-01T13:00:00Z</Expiration>"
    "</Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>";

TEST(Profiles, AreParsedAsTheSdksDo) {
  const auto profiles = parse_profiles(
      "# comment\n[default]\nAWS_ACCESS_KEY_ID = AKID\nregion=eu-west-1\n\n[profile dev]\ns3 =\n  max_concurrent = 2\n"
      "aws_session_token = a=b==\n; comment\n[sso-session x]\nsso_region=us-east-1\n");
  ASSERT_TRUE(profiles);
  EXPECT_EQ(profiles->at("default").at("aws_access_key_id"), "AKID");
  EXPECT_EQ(profiles->at("default").at("region"), "eu-west-1");
  EXPECT_EQ(profiles->at("dev").at("aws_session_token"), "a=b==");
  EXPECT_EQ(profiles->at("dev").count("max_concurrent"), 0u);
  EXPECT_TRUE(profiles->contains("sso-session x"));
}

TEST(Profiles, NameTheBadLine) {
  const std::pair<std::string, std::string> cases[] = {
      {"[default\n", "line 1: a section without ']'"},
      {"[default]\nnonsense\n", "line 2: neither a section nor key = value"},
      {"a = b\n", "line 1: a setting before the first [section]"},
  };
  for (const auto& [text, message] : cases) {
    const auto result = parse_profiles(text);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().message, message);
  }
}

TEST(Region, ComesFromTheEnvironmentOrTheProfile) {
  World world;
  EXPECT_EQ(find_region(world.context().environment).error().code, Code::kNotFound);
  TempFile config("[profile dev]\nregion = ap-northeast-2\n");
  world.variables["AWS_CONFIG_FILE"] = config.path();
  world.variables["AWS_PROFILE"] = "dev";
  EXPECT_EQ(*find_region(world.context().environment), "ap-northeast-2");
  world.variables["AWS_DEFAULT_REGION"] = "eu-west-1";
  EXPECT_EQ(*find_region(world.context().environment), "eu-west-1");
  world.variables["AWS_REGION"] = "us-west-2";
  EXPECT_EQ(*find_region(world.context().environment), "us-west-2");
}

TEST(Region, IsThatOfTheInstanceIfNothingNamesOne) {
  World world;
  world.transport.answer(200, "imds-token").answer(200, "eu-north-1\n");
  EXPECT_EQ(*discover_region(world.transport, world.context().environment, {}), "eu-north-1");
  EXPECT_EQ(world.transport.requests.at(1).url, "http://169.254.169.254/latest/meta-data/placement/region");
  EXPECT_EQ(world.transport.requests[1].headers.get("X-aws-ec2-metadata-token"), "imds-token");
  world.transport.fail_with({Code::kTimeout, "no answer"});
  const auto nobody = discover_region(world.transport, world.context().environment, {});
  ASSERT_FALSE(nobody);
  EXPECT_THAT(nobody.error().message, HasSubstr("set AWS_REGION"));
  EXPECT_THAT(nobody.error().message, HasSubstr("no answer"));
  world.variables["AWS_EC2_METADATA_DISABLED"] = "true";
  const size_t asked = world.transport.requests.size();
  EXPECT_FALSE(discover_region(world.transport, world.context().environment, {}));
  world.variables["AWS_REGION"] = "us-west-2";
  EXPECT_EQ(*discover_region(world.transport, world.context().environment, {}), "us-west-2");
  EXPECT_EQ(world.transport.requests.size(), asked);
}

TEST(Region, AFileThatDoesNotParseIsNotTheInstancesBusiness) {
  World world;
  TempFile config("nonsense\n");
  world.variables["AWS_CONFIG_FILE"] = config.path();
  EXPECT_EQ(discover_region(world.transport, world.context().environment, {}).error().code, Code::kInvalid);
  EXPECT_TRUE(world.transport.requests.empty());
}

TEST(Profiles, SetWhatTheEnvironmentDoesNot) {
  World world;
  TempFile config(
      "[default]\nuse_fips_endpoint = true\nuse_dualstack_endpoint=true\nretry_mode = adaptive\nmax_attempts = 7\n"
      "endpoint_url = http://localhost:4566\n[profile dev]\nretry_mode = legacy\n");
  world.variables["AWS_CONFIG_FILE"] = config.path();
  auto environment = *with_profile(world.context().environment);
  EXPECT_EQ(environment("AWS_USE_FIPS_ENDPOINT"), "true");
  EXPECT_EQ(environment("AWS_USE_DUALSTACK_ENDPOINT"), "true");
  EXPECT_EQ(environment("AWS_ENDPOINT_URL"), "http://localhost:4566");
  EXPECT_EQ(environment("AWS_SECRET_ACCESS_KEY"), "");
  EXPECT_EQ(retry_policy(environment)->mode, RetryMode::kAdaptive);
  EXPECT_EQ(retry_policy(environment)->max_attempts, 7);
  world.variables["AWS_MAX_ATTEMPTS"] = "2";
  EXPECT_EQ(retry_policy(environment)->max_attempts, 2);
  world.variables["AWS_PROFILE"] = "dev";
  environment = *with_profile(world.context().environment);
  EXPECT_EQ(environment("AWS_USE_FIPS_ENDPOINT"), "");
  EXPECT_EQ(retry_policy(environment)->mode, RetryMode::kLegacy);
}

TEST(DefaultCredentials, TheEnvironmentComesFirst) {
  World world;
  world.variables.insert({{"AWS_ACCESS_KEY_ID", "AKID"},
                          {"AWS_SECRET_ACCESS_KEY", "s"},
                          {"AWS_SESSION_TOKEN", "t"},
                          {"AWS_ROLE_ARN", "arn"},
                          {"AWS_WEB_IDENTITY_TOKEN_FILE", "/nonexistent"}});
  const auto credentials = world.resolve();
  ASSERT_TRUE(credentials);
  EXPECT_EQ(credentials->access_key_id, "AKID");
  EXPECT_EQ(credentials->session_token, "t");
}

TEST(DefaultCredentials, WebIdentityAsksStsWithoutASignature) {
  World world;
  TempFile token("jwt-1\n");
  world.variables.insert({{"AWS_ROLE_ARN", "arn:aws:iam::1:role/x"}, {"AWS_WEB_IDENTITY_TOKEN_FILE", token.path()}});
  world.transport.answer(200, kStsAnswer);
  const auto credentials = world.resolve();
  ASSERT_TRUE(credentials) << credentials.error().message;
  EXPECT_EQ(credentials->access_key_id, "ASIA1");
  EXPECT_EQ(credentials->session_token, "t1");
  EXPECT_EQ(format_rfc3339(credentials->expires), "2026-09-01T13:00:00Z");
  EXPECT_EQ(world.transport.requests.at(0).url, "https://sts.us-east-1.amazonaws.com/");
  EXPECT_FALSE(world.transport.requests[0].headers.has("Authorization"));
  EXPECT_TRUE(world.transport.form_has(0, "WebIdentityToken=jwt-1"));
  EXPECT_TRUE(world.transport.form_has(0, "RoleSessionName=tenon"));
}

TEST(DefaultCredentials, AProfileOfTheSharedFile) {
  World world;
  TempFile keys(
      "[default]\naws_access_key_id=A\naws_secret_access_key=B\n[dev]\naws_access_key_id=C\n"
      "aws_secret_access_key=D\n");
  world.variables["AWS_SHARED_CREDENTIALS_FILE"] = keys.path();
  EXPECT_EQ(world.resolve()->access_key_id, "A");
  world.variables["AWS_PROFILE"] = "dev";
  EXPECT_EQ(world.resolve()->secret_access_key, "D");
  world.variables["AWS_PROFILE"] = "none";
  EXPECT_THAT(world.resolve().error().message, HasSubstr("there is no profile none"));
}

TEST(DefaultCredentials, TheContainerEndpoint) {
  World world;
  TempFile token("pod-token\n");
  world.variables.insert({{"AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://169.254.170.23/v1/credentials"},
                          {"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", token.path()}});
  world.local.answer(
      200, R"({"AccessKeyId":"P","SecretAccessKey":"Q","Token":"R","Expiration":"2026-09-01T18:00:00Z"})");
  EXPECT_EQ(world.resolve()->access_key_id, "P");
  EXPECT_EQ(world.local.requests.at(0).headers.get("Authorization"), "pod-token");
  EXPECT_TRUE(world.transport.requests.empty()) << "it may use a proxy";
  token.write("pod-token\r\nX-Evil: 1");
  const auto refused = world.resolve();
  EXPECT_EQ(refused.error().message, "container credentials: the authorization token has several lines");
}

TEST(DefaultCredentials, TheContainerEndpointIsOfThisHostOrHttps) {
  const std::pair<const char*, bool> urls[] = {
      {"http://169.254.170.2/x", true},
      {"http://169.254.170.23/v1/credentials", true},
      {"http://[fd00:ec2::23]/v1/credentials", true},
      {"http://[fd00:ec2:0::23]:80/v1/credentials", true},
      {"http://127.0.0.1:8080/x", true},
      {"http://127.1.2.3/x", true},
      {"http://[::1]:8080/x", true},
      {"http://localhost:8080/x", true},
      {"https://credentials.example.com/x", true},
      {"http://credentials.example.com/x", false},
      {"http://169.254.169.254/x", false},
      {"http://127.0.0.1.example.com/x", false},
      {"http://127.0.0.1@example.com/x", false},
      {"http://127.0.0.1:80@example.com/x", false},
      {"https://user@example.com/x", false},
      {"http://localhost.example.com/x", false},
      {"http://[::1/x", false},
      {"ftp://127.0.0.1/x", false},
      {"127.0.0.1/x", false},
  };
  for (const auto& [url, fine] : urls) {
    World world;
    world.variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = url;
    const auto made = make_default_credentials(world.context());
    EXPECT_EQ(made.has_value(), fine) << url;
    const std::string problem = made ? "" : made.error().message;
    EXPECT_THAT(problem, HasSubstr(fine ? "" : "AWS_CONTAINER_CREDENTIALS_FULL_URI: must be https")) << url;
  }
  World world;
  world.variables["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] = "@example.com/x";
  EXPECT_THAT(make_default_credentials(world.context()).error().message, HasSubstr("_RELATIVE_URI: must begin with /"));
}

TEST(DefaultCredentials, TheInstancesRoleLast) {
  World world;
  world.local.answer(200, "imds-token").answer(200, "node-role");
  world.local.answer(
      200, R"({"AccessKeyId":"I","SecretAccessKey":"J","Token":"K","Expiration":"2026-09-01T18:00:00Z"})");
  EXPECT_EQ(world.resolve()->access_key_id, "I");
  EXPECT_EQ(world.local.requests.at(0).method, "PUT");
  EXPECT_EQ(world.local.requests.at(2).url,
            "http://169.254.169.254/latest/meta-data/iam/security-credentials/node-role");
  EXPECT_EQ(world.local.requests[2].headers.get("X-aws-ec2-metadata-token"), "imds-token");
  EXPECT_TRUE(world.transport.requests.empty()) << "it may use a proxy";
  world.variables["AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE"] = "IPv6";
  EXPECT_FALSE(world.resolve());
  EXPECT_EQ(world.local.requests.back().url, "http://[fd00:ec2::254]/latest/api/token");
  world.variables["AWS_EC2_METADATA_DISABLED"] = "true";
  EXPECT_THAT(world.resolve().error().message, HasSubstr("set AWS_ACCESS_KEY_ID"));
}

TEST(DefaultCredentials, HalfAPairOfKeysIsAnError) {
  World world;
  world.variables["AWS_ACCESS_KEY_ID"] = "AKID";
  EXPECT_EQ(world.resolve().error().message, "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set together");
}

TEST(CaBundle, IsReadOrRefusedByName) {
  World world;
  EXPECT_EQ(*read_ca_bundle(world.context().environment), "");
  const auto certificate = http::make_self_signed({"localhost"}, 24h, world.runtime.now());
  ASSERT_TRUE(certificate);
  TempFile bundle("# comment\n" + certificate->ca_pem + certificate->cert_pem);
  world.variables["AWS_CA_BUNDLE"] = bundle.path();
  EXPECT_THAT(*read_ca_bundle(world.context().environment), HasSubstr(certificate->ca_pem));
  TempFile config("[default]\nca_bundle = /nonexistent/ca.pem\n");
  world.variables["AWS_CONFIG_FILE"] = config.path();
  world.variables.erase("AWS_CA_BUNDLE");
  EXPECT_EQ(read_ca_bundle(*with_profile(world.context().environment)).error().message,
            "AWS_CA_BUNDLE (ca_bundle in the profile): cannot read /nonexistent/ca.pem");
  world.variables["AWS_CA_BUNDLE"] = bundle.path();
  bundle.write("no certificate");
  EXPECT_THAT(read_ca_bundle(world.context().environment).error().message, HasSubstr("holds no certificate in PEM"));
  bundle.write(certificate->ca_pem + "-----BEGIN CERTIFICATE-----\nbroken\n-----END CERTIFICATE-----\n");
  EXPECT_THAT(read_ca_bundle(world.context().environment).error().message, HasSubstr("after 1 good ones cannot be"));
}

class CountingSource final : public CredentialsProvider {
 public:
  CountingSource(runtime::Runtime& runtime, int& calls, bool& broken)
      : runtime_(runtime), calls_(calls), broken_(broken) {}
  Result<Credentials> get(const std::stop_token& stop) override {
    ++calls_;
    if (runtime_.sleep_for(1s, stop) == runtime::Wake::kStopped) return fail(Code::kCancelled, "stopped");
    if (broken_) return fail(Code::kUnavailable, "sts is down");
    return Credentials{"K" + std::to_string(calls_), "s", "t", runtime_.now() + 1h};
  }

 private:
  runtime::Runtime& runtime_;
  int& calls_;
  bool& broken_;
};

TEST(CachedCredentials, RefreshAheadAndSurviveAnOutage) {
  ManualRuntime runtime;
  int calls = 0;
  bool broken = false;
  const auto cached = make_cached_credentials(std::make_unique<CountingSource>(runtime, calls, broken), runtime);
  EXPECT_EQ(cached->get({})->access_key_id, "K1");
  runtime.advance(50min);
  EXPECT_EQ(cached->get({})->access_key_id, "K1");
  runtime.advance(6min);
  EXPECT_EQ(cached->get({})->access_key_id, "K2");
  broken = true;
  runtime.advance(56min);
  EXPECT_EQ(cached->get({})->access_key_id, "K2");
  EXPECT_EQ(cached->get({})->access_key_id, "K2");
  EXPECT_EQ(calls, 3);  // no second request at once
  runtime.advance(10min);
  EXPECT_EQ(cached->get({}).error().code, Code::kUnavailable);
}

TEST(CachedCredentials, ConcurrentCallersShareOneRefresh) {
  const auto sim = runtime::make_sim_runtime({.seed = 3});
  int calls = 0;
  bool broken = false;
  const auto cached = make_cached_credentials(std::make_unique<CountingSource>(*sim, calls, broken), *sim);
  int answered = 0;
  {
    std::vector<std::unique_ptr<runtime::Task>> tasks;
    for (int i = 0; i < 5; ++i) {
      tasks.push_back(sim->spawn("caller", [&](const std::stop_token& stop) {
        const auto got = cached->get(stop);
        if (got && got->access_key_id == "K1") ++answered;
      }));
    }
    sim->run_for(1min);
  }
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(answered, 5);
}

}  // namespace
}  // namespace tenon::aws
