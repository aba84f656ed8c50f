// SPDX-License-Identifier: Apache-2.0
//
// Each call runs on a lane: one multi and one easy handle, with the connections that the multi keeps open. Idle lanes
// are kept, so that a call usually finds one that is connected to its host. With one multi for each call (not one for
// all), threads share nothing while a call runs, and a stop wakes only its own poll.
#include "http/curl_transport.h"

#include <curl/curl.h>
#include <openssl/x509.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>

#include "base/check.h"
#include "base/text.h"
#include "http/limits.h"

namespace tenon::http {
namespace {

using Steady = std::chrono::steady_clock;

struct Lane {
  CURLM* multi = nullptr;
  CURL* easy = nullptr;
  std::string last_host;

  Lane() : multi(curl_multi_init()), easy(curl_easy_init()) {
    CHECK(multi != nullptr && easy != nullptr, "libcurl is out of memory");
  }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane() {
    curl_easy_cleanup(easy);
    curl_multi_cleanup(multi);
  }
};

struct SlistFree {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using SlistPtr = std::unique_ptr<curl_slist, SlistFree>;

void append(SlistPtr& list, const std::string& line) {
  curl_slist* longer = curl_slist_append(list.get(), line.c_str());
  CHECK(longer != nullptr, "libcurl is out of memory");
  (void)list.release();
  list.reset(longer);
}

// One exchange in progress; libcurl's callbacks get a pointer to it.
struct Exchange {
  StreamSink* sink = nullptr;  // null: collect into response
  Response response;
  size_t header_bytes = 0;
  bool head_done = false;
  bool ended_by_sink = false;
  std::string broken_limit;  // what exceeded a limit; empty: nothing
  Steady::time_point last_sign_of_life = Steady::now();
  Steady::time_point last_data = {};  // of the body
  char error[CURL_ERROR_SIZE] = {};
};

// A return value below the offered size makes libcurl end the transfer.
size_t finish_head(Exchange& exchange, size_t size) {
  if (exchange.response.status < 200) return size;  // 100 Continue and others: the final head follows
  exchange.head_done = true;
  if (exchange.sink == nullptr || exchange.sink->on_head(exchange.response.status, exchange.response.headers))
    return size;
  exchange.ended_by_sink = true;
  return 0;
}

size_t on_header(char* data, size_t, size_t size, void* user) {
  Exchange& exchange = *static_cast<Exchange*>(user);
  exchange.last_sign_of_life = Steady::now();
  const std::string_view line = trim({data, size});
  if (exchange.head_done) return size;  // a trailer
  if ((exchange.header_bytes += size) > kMaxResponseHeaderBytes) {
    exchange.broken_limit = "its headers";
    return 0;
  }
  if (line.starts_with("HTTP/")) {
    exchange.response = {};
    const std::string_view status = trim(cut(line, ' ').second).substr(0, 3);
    for (const char c : status) exchange.response.status = exchange.response.status * 10 + (c - '0');
    return size;
  }
  if (line.empty()) return finish_head(exchange, size);
  const auto [name, value] = cut(line, ':');
  exchange.response.headers.add(std::string(trim(name)), std::string(trim(value)));
  return size;
}

size_t on_body(char* data, size_t, size_t size, void* user) {
  Exchange& exchange = *static_cast<Exchange*>(user);
  exchange.last_sign_of_life = exchange.last_data = Steady::now();
  if (exchange.sink != nullptr) {
    if (exchange.sink->on_data({data, size})) return size;
    exchange.ended_by_sink = true;
    return 0;
  }
  const bool compressed = exchange.response.headers.has("Content-Encoding");
  if (exchange.response.body.size() + size > (compressed ? kMaxDecodedBodyBytes : kMaxResponseBodyBytes)) {
    exchange.broken_limit = compressed ? "its decompressed body" : "its body";
    return 0;
  }
  exchange.response.body.append(data, size);
  return size;
}

template <class Value>
void set(CURL* easy, CURLoption option, Value value) {
  const CURLcode code = curl_easy_setopt(easy, option, value);
  CHECK(code == CURLE_OK, curl_easy_strerror(code));
}

void set_blob(CURL* easy, CURLoption option, const std::string& pem) {
  curl_blob blob{.data = const_cast<char*>(pem.data()), .len = pem.size(), .flags = CURL_BLOB_NOCOPY};
  set(easy, option, &blob);
}

long milliseconds(Duration d) { return std::max(1L, static_cast<long>(d / 1ms)); }

std::string_view without_port(std::string_view host) {
  if (host.starts_with("[")) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.rfind(':'));
}

// parity: Go's net/http: requests to this machine ignore proxies from the environment.
bool is_loopback(std::string_view host) {
  const std::string_view name = without_port(host);
  return name == "localhost" || name == "[::1]" || name.starts_with("127.");
}

bool asks_for_gzip(const Request& request) { return request.headers.get("Accept-Encoding") == "gzip"; }

class CurlTransport : public Transport {
 public:
  explicit CurlTransport(TlsClientOptions options) : options_(std::move(options)) {
    static const CURLcode global = curl_global_init(CURL_GLOBAL_DEFAULT);
    CHECK(global == CURLE_OK, "libcurl cannot start");
  }

  Result<Response> send(const Request& request, const std::stop_token& stop) override {
    Exchange exchange;
    TRY(run(request, exchange, stop));
    return std::move(exchange.response);
  }

  Status stream(const Request& request, StreamSink& sink, const std::stop_token& stop) override {
    Exchange exchange;
    exchange.sink = &sink;
    return run(request, exchange, stop);
  }

 private:
  Status run(const Request& request, Exchange& exchange, const std::stop_token& stop);
  Status perform(Lane& lane, const Request& request, Exchange& exchange, const std::stop_token& stop);
  void set_up(CURL* easy, const Request& request, Exchange& exchange, const SlistPtr& headers) const;
  void set_up_body(CURL* easy, const Request& request) const;
  void set_up_tls(CURL* easy) const;
  SlistPtr header_list(const Request& request, std::string_view host_header) const;
  Status explain(Lane& lane, CURLcode code, const Request& request, const Exchange& exchange) const;

  std::unique_ptr<Lane> take_lane(std::string_view host);
  void give_back(std::unique_ptr<Lane> lane);

  const TlsClientOptions options_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Lane>> idle_;  // last: most recently used
};

std::unique_ptr<Lane> CurlTransport::take_lane(std::string_view host) {
  std::lock_guard lock(mutex_);
  auto found = std::find_if(idle_.rbegin(), idle_.rend(), [&](const auto& lane) { return lane->last_host == host; });
  if (found == idle_.rend()) {
    auto lane = std::make_unique<Lane>();
    lane->last_host = host;
    return lane;
  }
  auto lane = std::move(*found);
  idle_.erase(std::next(found).base());
  return lane;
}

void CurlTransport::give_back(std::unique_ptr<Lane> lane) {
  curl_easy_reset(lane->easy);
  std::unique_ptr<Lane> oldest;  // closed outside the lock
  std::lock_guard lock(mutex_);
  idle_.push_back(std::move(lane));
  if (idle_.size() > kMaxIdleLanes) {
    oldest = std::move(idle_.front());
    idle_.erase(idle_.begin());
  }
}

SlistPtr CurlTransport::header_list(const Request& request, std::string_view host_header) const {
  SlistPtr list;
  append(list, "Expect:");  // does not wait for 100 Continue
  if (!request.headers.has("Content-Type")) append(list, "Content-Type:");
  if (!host_header.empty() && !request.headers.has("Host")) append(list, "Host: " + std::string(host_header));
  for (const auto& [name, value] : request.headers.entries()) {
    if (asks_for_gzip(request) && to_lower(name) == "accept-encoding") continue;  // libcurl adds it
    append(list, value.empty() ? name + ";" : name + ": " + value);  // libcurl's syntax for an empty header
  }
  return list;
}

void CurlTransport::set_up_body(CURL* easy, const Request& request) const {
  const std::string& method = request.method;
  if (method == "HEAD") {
    set(easy, CURLOPT_NOBODY, 1L);
    return;
  }
  if (!request.body.empty() || method == "POST" || method == "PUT" || method == "PATCH") {
    set(easy, CURLOPT_POST, 1L);
    set(easy, CURLOPT_POSTFIELDS, request.body.data());
    set(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  } else {
    set(easy, CURLOPT_HTTPGET, 1L);
  }
  set(easy, CURLOPT_CUSTOMREQUEST, method.c_str());
}

void CurlTransport::set_up_tls(CURL* easy) const {
  if (options_.insecure_skip_verify) {
    set(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    set(easy, CURLOPT_SSL_VERIFYHOST, 0L);
  } else if (!options_.ca_pem.empty()) {
    set_blob(easy, CURLOPT_CAINFO_BLOB, options_.ca_pem);
    set(easy, CURLOPT_CAPATH, static_cast<const char*>(nullptr));  // otherwise the system's CAs are trusted as well
  }
  if (!options_.client_cert_pem.empty()) set_blob(easy, CURLOPT_SSLCERT_BLOB, options_.client_cert_pem);
  if (!options_.client_key_pem.empty()) set_blob(easy, CURLOPT_SSLKEY_BLOB, options_.client_key_pem);
}

void CurlTransport::set_up(CURL* easy, const Request& request, Exchange& exchange, const SlistPtr& headers) const {
  set(easy, CURLOPT_NOSIGNAL, 1L);
  set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  set(easy, CURLOPT_PATH_AS_IS, 1L);  // signatures cover the unchanged path
  set(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  set(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(easy, CURLOPT_HTTPHEADER, headers.get());
  set(easy, CURLOPT_HEADERFUNCTION, &on_header);
  set(easy, CURLOPT_HEADERDATA, &exchange);
  set(easy, CURLOPT_WRITEFUNCTION, &on_body);
  set(easy, CURLOPT_WRITEDATA, &exchange);
  set(easy, CURLOPT_ERRORBUFFER, exchange.error);
  set(easy, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(std::min(kConnectTimeout, request.timeout)));
  if (exchange.sink == nullptr) set(easy, CURLOPT_TIMEOUT_MS, milliseconds(request.timeout));
  if (!options_.proxy_url.empty()) {
    set(easy, CURLOPT_PROXY, options_.proxy_url.c_str());
    set(easy, CURLOPT_NOPROXY, "");  // NO_PROXY is about proxies of the environment. parity: Go's http.ProxyURL
  }
  if (asks_for_gzip(request)) set(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
  set_up_body(easy, request);
  set_up_tls(easy);
}

Status CurlTransport::run(const Request& request, Exchange& exchange, const std::stop_token& stop) {
  const auto url = parse_url(request.url);
  if (!url) return fail(Code::kInvalid, "not an absolute URL: '" + request.url + "'");
  if (stop.stop_requested()) return fail(Code::kCancelled, std::string(url->host) + ": cancelled");
  auto lane = take_lane(url->host);

  // libcurl verifies the certificate against the URL's host. To verify another name, the URL gets that name and the
  // connection is redirected to the real host.
  std::string curl_url = request.url, host_header;
  SlistPtr connect_to;
  if (!options_.server_name.empty() && options_.server_name != without_port(url->host)) {
    const std::string host(url->host), name(without_port(host));
    const std::string port = host.size() > name.size() ? host.substr(name.size()) : "";
    curl_url = std::string(url->scheme) + "://" + options_.server_name + port +
               request.url.substr(url->scheme.size() + 3 + host.size());
    append(connect_to, "::" + name + ":");
    host_header = host;
    set(lane->easy, CURLOPT_CONNECT_TO, connect_to.get());
  }
  const SlistPtr headers = header_list(request, host_header);
  set_up(lane->easy, request, exchange, headers);
  set(lane->easy, CURLOPT_URL, curl_url.c_str());
  if (options_.no_proxy || (options_.proxy_url.empty() && is_loopback(url->host))) {
    set(lane->easy, CURLOPT_NOPROXY, "*");
  }

  Status result = perform(*lane, request, exchange, stop);
  give_back(std::move(lane));
  return result;
}

Status CurlTransport::perform(Lane& lane, const Request& request, Exchange& exchange, const std::stop_token& stop) {
  CURLM* multi = lane.multi;
  const std::stop_callback on_stop(stop, [multi] { curl_multi_wakeup(multi); });
  curl_multi_add_handle(multi, lane.easy);
  Status result = ok();
  for (int running = 1;;) {
    const Steady::time_point last_data = exchange.last_data;
    const CURLMcode step = curl_multi_perform(multi, &running);
    if (step != CURLM_OK) {
      result = fail(Code::kInternal, "libcurl: " + std::string(curl_multi_strerror(step)));
      break;
    }
    if (running == 0) {
      int left = 0;
      const CURLMsg* message = curl_multi_info_read(multi, &left);
      CHECK(message != nullptr && message->msg == CURLMSG_DONE, "libcurl ended a transfer without saying how");
      result = explain(lane, message->data.result, request, exchange);
      break;
    }
    if (stop.stop_requested()) {
      result = fail(Code::kCancelled, lane.last_host + ": cancelled");
      break;
    }
    Duration nap = request.timeout;  // libcurl returns earlier for its own timers
    if (exchange.sink != nullptr) {
      if (exchange.last_data != last_data) continue;  // reads what else is there, without a pause
      nap -= Steady::now() - exchange.last_sign_of_life;
      if (nap <= Duration::zero()) {
        result = fail(Code::kTimeout, lane.last_host + ": silent for " + format_go_duration(request.timeout));
        break;
      }
    }
    curl_multi_poll(multi, nullptr, 0, static_cast<int>(std::min<Duration>(nap + 1ms, 1h) / 1ms), nullptr);
    if (exchange.sink != nullptr) std::this_thread::sleep_until(exchange.last_data + kStreamPause);
  }
  curl_multi_remove_handle(multi, lane.easy);
  return result;
}

bool is_local_mistake(CURLcode code) {
  return code == CURLE_SSL_CACERT_BADFILE || code == CURLE_SSL_CERTPROBLEM || code == CURLE_URL_MALFORMAT ||
         code == CURLE_UNSUPPORTED_PROTOCOL;
}

Status CurlTransport::explain(Lane& lane, CURLcode code, const Request& request, const Exchange& exchange) const {
  if (code == CURLE_OK || exchange.ended_by_sink) return ok();
  const std::string& host = lane.last_host;
  const std::string detail = exchange.error[0] != '\0' ? exchange.error : curl_easy_strerror(code);
  if (!exchange.broken_limit.empty()) {
    return fail(Code::kUnavailable, host + ": the answer is too large: " + exchange.broken_limit);
  }
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT: {
      double connected = 0;
      curl_easy_getinfo(lane.easy, CURLINFO_PRETRANSFER_TIME, &connected);
      if (connected == 0) return fail(Code::kTimeout, host + ": no connection in time: " + detail);
      return fail(Code::kTimeout, host + ": no answer within " + format_go_duration(request.timeout));
    }
    case CURLE_COULDNT_CONNECT: {
      long os_error = 0;
      curl_easy_getinfo(lane.easy, CURLINFO_OS_ERRNO, &os_error);
      const std::string cause = os_error != 0 ? to_lower(std::strerror(static_cast<int>(os_error))) : detail;
      return fail(Code::kUnavailable, host + ": cannot connect: " + cause);
    }
    case CURLE_COULDNT_RESOLVE_HOST: return fail(Code::kUnavailable, host + ": this host name cannot be resolved");
    case CURLE_PEER_FAILED_VERIFICATION: {
      long verdict = X509_V_OK;
      curl_easy_getinfo(lane.easy, CURLINFO_SSL_VERIFYRESULT, &verdict);
      if (verdict == X509_V_OK || verdict == X509_V_ERR_UNSPECIFIED) {  // the chain is valid
        return fail(Code::kUnavailable, host + ": the server's certificate is for another name: " + detail);
      }
      return fail(Code::kUnavailable, host + ": the server's certificate is not trusted by the configured CA: " +
                                          X509_verify_cert_error_string(verdict));
    }
    default: return fail(is_local_mistake(code) ? Code::kInvalid : Code::kUnavailable, host + ": " + detail);
  }
}

}  // namespace

std::unique_ptr<Transport> make_curl_transport(TlsClientOptions options) {
  return std::make_unique<CurlTransport>(std::move(options));
}

}  // namespace tenon::http
