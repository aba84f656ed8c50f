// SPDX-License-Identifier: Apache-2.0
#include "aws/observer_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tenon::aws {
namespace {

http::Request form(const std::string& body) {
  return {.method = "POST",
          .url = "https://ec2.us-east-1.amazonaws.com/",
          .headers = {{"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"}},
          .body = body};
}
http::Request target(const std::string& action) {
  return {.method = "POST",
          .url = "https://service.us-east-1.amazonaws.com/",
          .headers = {{"Content-Type", "application/x-amz-json-1.1"}, {"X-Amz-Target", action}},
          .body = "{}"};
}
http::Request rest(const std::string& method, const std::string& path) {
  return {.method = method, .url = "https://eks.us-east-1.amazonaws.com" + path, .body = "{}"};
}

TEST(ObserverRule, AdmitsTheReadsOfDecisions) {
  EXPECT_TRUE(std::is_sorted(observer_actions().begin(), observer_actions().end()));
  for (const std::string_view action : observer_actions()) {
    EXPECT_TRUE(observer_may_send(form("Action=" + std::string(action) + "&Version=2016-11-15"))) << action;
  }
  for (const http::Request& request :
       {form("Action=DescribeInstanceTypes&DryRun=true"), target("AWSPriceListService.GetProducts"),
        rest("GET", "/clusters/demo"), rest("GET", "/managedresources/arn%3Aaws%3Aeks"),
        rest("GET", "/federation/credentials?role_name=a&account_id=1"), rest("POST", "/token")}) {
    const Status judged = observer_may_send(request);
    EXPECT_TRUE(judged) << request.url << ": " << judged.error().message;
  }
}

TEST(ObserverRule, RefusesEverythingElse) {
  for (const auto& [request, named] : std::vector<std::pair<http::Request, std::string>>{
           {form("Action=CreateFleet&Version=2016-11-15"), "CreateFleet"},
           {form("Action=RunInstances&DryRun=true"), "RunInstances"},
           {form("Action=TerminateInstances"), "TerminateInstances"},
           {form("Action=CreateTags"), "CreateTags"},
           {form("Action=CreateLaunchTemplate"), "CreateLaunchTemplate"},
           {form("Action=DeleteLaunchTemplate"), "DeleteLaunchTemplate"},
           {form("Action=CreateInstanceProfile"), "CreateInstanceProfile"},
           {form("Action=DescribeInstances&Action=TerminateInstances"), "POST /"},
           {form("Version=2016-11-15"), "POST /"},
           {form(""), "POST /"},
           {form("Action=DescribeSubnets"), "DescribeSubnets"},  // a read that no decision needs
           {target("AmazonSQS.ReceiveMessage"), "ReceiveMessage"},
           {target("AmazonSQS.DeleteMessageBatch"), "DeleteMessageBatch"},
           {target("AmazonSQS.GetQueueUrl"), "GetQueueUrl"},
           {target("AmazonSSM.PutParameter"), "PutParameter"},
           {rest("GET", "/?Action=TerminateInstances&InstanceId.1=i-1"), "GET /"},
           {rest("GET", "/?%41ction=TerminateInstances&InstanceId.1=i-1"), "GET /"},
           {rest("POST", "/?Action=DescribeInstances"), "POST /"},
           {rest("POST", "/clusters"), "POST /clusters"},
           {rest("DELETE", "/clusters/demo"), "DELETE /clusters/demo"},
           {rest("PUT", "/zonalshifts/1"), "PUT /zonalshifts/1"},
           {rest("HEAD", "/clusters/demo"), "HEAD /clusters/demo"},
           {http::Request{.url = "none"}, "an invalid URL"},
       }) {
    const Status judged = observer_may_send(request);
    ASSERT_FALSE(judged) << request.body << " " << request.url;
    EXPECT_EQ(judged.error().code, Code::kForbidden);
    EXPECT_THAT(judged.error().message, ::testing::StartsWith(named + ": an observer")) << request.body;
  }
}

}  // namespace
}  // namespace tenon::aws
