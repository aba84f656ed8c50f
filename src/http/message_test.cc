// SPDX-License-Identifier: Apache-2.0
#include "http/message.h"

#include <gtest/gtest.h>

namespace tenon::http {
namespace {

TEST(Headers, NamesCompareWithoutCase) {
  Headers headers{{"Content-Type", "text/plain"}, {"X-A", "1"}};
  headers.add("x-a", "2");
  EXPECT_EQ(headers.get("content-type"), "text/plain");
  EXPECT_EQ(headers.get("X-a"), "1");
  EXPECT_TRUE(headers.has("CONTENT-TYPE"));
  EXPECT_FALSE(headers.has("Content"));
  EXPECT_EQ(headers.get("missing"), "");
  headers.set("x-A", "3");
  EXPECT_EQ(headers.get("X-A"), "3");
  EXPECT_EQ(headers.entries().size(), 2u);
}

struct UrlCase {
  std::string url, scheme, host, path, query;
};

TEST(ParseUrl, Pieces) {
  for (const UrlCase& row : std::vector<UrlCase>{
           {"https://h:8443/a/b?c=d&e", "https", "h:8443", "/a/b", "c=d&e"},
           {"http://127.0.0.1", "http", "127.0.0.1", "", ""},
           {"http://h?x=/y", "http", "h", "", "x=/y"},
           {"http://[::1]:80/%2F..//", "http", "[::1]:80", "/%2F..//", ""},
           {"http://h/a?b?c#frag?", "http", "h", "/a", "b?c"},
       }) {
    const auto view = parse_url(row.url);
    ASSERT_TRUE(view) << row.url;
    EXPECT_EQ(view->scheme, row.scheme) << row.url;
    EXPECT_EQ(view->host, row.host) << row.url;
    EXPECT_EQ(view->path, row.path) << row.url;
    EXPECT_EQ(view->query, row.query) << row.url;
  }
}

TEST(ParseUrl, RefusesWhatIsNotAbsolute) {
  for (const std::string url : {"", "/path", "host/path", "://h/", "http:///p", "http://a b/", "http://h/\r\nX: y"}) {
    EXPECT_FALSE(parse_url(url)) << url;
  }
}

TEST(ParseQuery, DecodesInOrder) {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(parse_query(""), Pairs{});
  EXPECT_EQ(parse_query("b=2&a=1&a=x%20y+z&flag&&e="),
            (Pairs{{"b", "2"}, {"a", "1"}, {"a", "x y z"}, {"flag", ""}, {"e", ""}}));
  EXPECT_EQ(parse_query("labelSelector=app%3Da%2Ctier%3Db%2Bc"), (Pairs{{"labelSelector", "app=a,tier=b+c"}}));
}

}  // namespace
}  // namespace tenon::http
