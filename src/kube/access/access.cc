// SPDX-License-Identifier: Apache-2.0
#include "kube/access/access.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/text.h"
#include "kube/limits.h"

namespace tenon::kube {
namespace {

// The identity of requests for some time. Immutable.
struct Session {
  std::shared_ptr<http::Transport> transport;
  std::string token;                        // empty: none
  std::string ca, client_cert, client_key;  // of the transport
  ExecCredential credential;                // of the plugin, if there is one
  Instant credential_since{}, credential_renew_at = kNever;
  Instant renew_at = kNever;  // earlier than `expires`
  Instant expires = kNever;
  bool same_identity(const Session& other) const {
    return token == other.token && client_cert == other.client_cert && ca == other.ca;
  }
};
using SessionPtr = std::shared_ptr<const Session>;

class AccessTransport final : public http::Transport {
 public:
  AccessTransport(runtime::Runtime& runtime, Connection connection, AccessParts parts)
      : runtime_(runtime),
        connection_(std::move(connection)),
        parts_(std::move(parts)),
        renewed_(runtime.make_event()) {}

  Result<http::Response> send(const http::Request& request, const std::stop_token& stop) override {
    const SessionPtr session = TRY(session_for(nullptr, stop));
    http::Request own = prepared(request, *session);
    if (connection_.compression && !own.headers.has("Accept-Encoding")) own.headers.set("Accept-Encoding", "gzip");
    http::Response response = TRY(session->transport->send(own, stop));
    if (response.status == kUnauthorized && TRY(renew_after_rejection(session, stop))) {
      response.headers.set("Retry-After", "0");
    }
    return response;
  }

  Status stream(const http::Request& request, http::StreamSink& sink, const std::stop_token& stop) override {
    const SessionPtr session = TRY(session_for(nullptr, stop));
    StatusSink noting(sink);
    TRY(session->transport->stream(prepared(request, *session), noting, stop));
    if (noting.status() == kUnauthorized) TRY(renew_after_rejection(session, stop));
    return ok();
  }

 private:
  static constexpr int kUnauthorized = 401;

  class StatusSink : public http::StreamSink {
   public:
    explicit StatusSink(http::StreamSink& inner) : inner_(inner) {}
    bool on_head(int status, const http::Headers& headers) override {
      status_ = status;
      return inner_.on_head(status, headers);
    }
    bool on_data(std::string_view bytes) override { return inner_.on_data(bytes); }
    int status() const { return status_; }

   private:
    http::StreamSink& inner_;
    int status_ = 0;
  };

  http::Request prepared(const http::Request& request, const Session& session) const {
    http::Request own = request;
    if (!session.token.empty()) own.headers.set("Authorization", "Bearer " + session.token);
    add_impersonation(connection_.impersonate, own.headers);
    return own;
  }

  // Returns the current session, or makes one: if there is none, it has expired, or it is `rejected`. If the session
  // is about to expire, a task of its own runs the plugin: the caller may have to renew the lease in time.
  Result<SessionPtr> session_for(const SessionPtr& rejected, const std::stop_token& stop) {
    SessionPtr old;
    std::unique_ptr<runtime::Task> finished;  // joined without the lock
    while (true) {
      const uint64_t seen = renewed_->version();
      {
        const std::scoped_lock lock(mutex_);
        const Instant now = runtime_.now();
        const bool usable = session_ && session_ != rejected && now < session_->expires;
        if (usable && (now < session_->renew_at || renewing_ || now < quiet_until_)) return session_;
        if (!usable && failure_ && now < quiet_until_) return fail(*failure_);
        if (!renewing_) {
          renewing_ = true;
          old = session_;
          if (!usable || !uses_plugin() || now < old->credential_renew_at) break;
          finished = std::exchange(renewal_, runtime_.spawn("credentials", [this, old](const std::stop_token& own) {
            (void)renew(old, nullptr, own);
          }));
          return old;
        }
      }
      if (renewed_->wait(seen, kNever, stop) == runtime::Wake::kStopped) {
        return fail(Code::kCancelled, connection_.server + ": stopped while waiting for credentials");
      }
    }
    return renew(old, rejected, stop);
  }

  // The caller has set renewing_.
  Result<SessionPtr> renew(const SessionPtr& old, const SessionPtr& rejected, const std::stop_token& stop) {
    Result<SessionPtr> made = make_session(old, rejected != nullptr, stop);
    {
      const std::scoped_lock lock(mutex_);
      renewing_ = false;
      settle(made, rejected);
    }
    renewed_->notify();
    return made;
  }

  // Stores what was made. After a failure the old session is used while it is valid.
  void settle(Result<SessionPtr>& made, const SessionPtr& rejected) {
    failure_.reset();
    quiet_until_ = {};
    if (made) {
      session_ = *made;
      return;
    }
    const Instant now = runtime_.now();
    const bool usable = session_ && session_ != rejected && now < session_->expires;
    if (made.error().code != Code::kCancelled) {  // a caller that stops says nothing about the credentials
      failure_ = made.error();
      quiet_until_ = now + kCredentialRetry;
    }
    if (usable) made = session_;
  }

  // Returns whether there are other credentials than those of the session.
  Result<bool> renew_after_rejection(const SessionPtr& rejected, const std::stop_token& stop) {
    const bool plugin = uses_plugin();
    if (!plugin && !reads_files()) return false;
    {
      const std::scoped_lock lock(mutex_);
      if (session_ != rejected) return !session_->same_identity(*rejected);
      if (plugin && runtime_.now() < rejected->credential_since + kMinCredentialAge) return false;
    }
    const SessionPtr now = TRY(session_for(rejected, stop));
    return !now->same_identity(*rejected);
  }

  // A token takes precedence over a plugin. parity: client-go plugin/pkg/client/auth/exec, RoundTrip()
  bool uses_plugin() const {
    return connection_.exec && connection_.bearer_token.empty() && connection_.token_file.empty();
  }
  bool reads_files() const {
    return !connection_.token_file.empty() || !connection_.ca.file.empty() || !connection_.client_cert.file.empty() ||
           !connection_.client_key.file.empty();
  }

  // Called by one thread at a time. `old`: the earlier session, or null.
  Result<SessionPtr> make_session(const SessionPtr& old, bool rejected, const std::stop_token& stop) const {
    auto made = std::make_shared<Session>();
    bool all_read = true;
    made->ca = reread(connection_.ca, old ? &old->ca : nullptr, all_read);
    const FromFile &cert = connection_.client_cert, &key = connection_.client_key;
    made->client_cert = reread(cert, old && !cert.text.empty() ? &old->client_cert : nullptr, all_read);
    made->client_key = reread(key, old && !key.text.empty() ? &old->client_key : nullptr, all_read);
    made->token = TRY(read_token(old, all_read));
    if (uses_plugin()) TRY(ask_plugin(old, rejected, *made, stop));
    if (reads_files()) {
      made->renew_at = std::min(made->renew_at, runtime_.now() + (all_read ? kTokenRefresh : kCredentialRetry));
    }
    const bool same_tls =
        old && old->ca == made->ca && old->client_cert == made->client_cert && old->client_key == made->client_key;
    made->transport = same_tls ? old->transport : parts_.make_transport(tls_options(*made));
    return SessionPtr(std::move(made));
  }

  // Returns the content of the file now; the earlier one if the file cannot be read.
  static std::string reread(const FromFile& from, const std::string* earlier, bool& all_read) {
    const std::string& known = earlier ? *earlier : from.text;
    if (from.file.empty() || !earlier) return known;  // the first content is that of the Connection
    Result<std::string> text = read_text_file(from.file);
    if (text && !trim(*text).empty()) return *std::move(text);
    all_read = false;
    return known;
  }

  Result<std::string> read_token(const SessionPtr& old, bool& all_read) const {
    const std::string& path = connection_.token_file;
    if (path.empty()) return connection_.bearer_token;
    const Result<std::string> text = read_text_file(path);
    if (text && !trim(*text).empty()) return std::string(trim(*text));
    all_read = false;
    const std::string& known = old ? old->token : connection_.bearer_token;
    if (!known.empty()) return known;
    return fail(Code::kForbidden, "no token can be read: " + (text ? path + " is empty" : text.error().message));
  }

  // Fills in the plugin's credentials: those of `old` while they are good, else new ones.
  Status ask_plugin(const SessionPtr& old, bool rejected, Session& made, const std::stop_token& stop) const {
    if (old && !rejected && runtime_.now() < old->credential_renew_at) {
      made.credential = old->credential;
      made.credential_since = old->credential_since;
    } else {
      made.credential = TRY(run_exec_plugin(*connection_.exec, parts_.run, stop));
      made.credential_since = runtime_.now();
    }
    made.token = made.credential.token;
    if (made.client_cert.empty()) {  // a certificate of the kubeconfig takes precedence
      made.client_cert = made.credential.client_cert_pem;
      made.client_key = made.credential.client_key_pem;
    }
    if (made.credential.expires == kNever) return ok();
    // Credentials that are expired already are used for a moment: otherwise each request would run the plugin.
    made.expires = std::max(made.credential.expires, made.credential_since + kCredentialRetry);
    const Duration life = made.expires - made.credential_since;
    made.credential_renew_at = made.expires - std::min(kCredentialRefreshAhead, life / 4);
    made.renew_at = made.credential_renew_at;
    return ok();
  }

  http::TlsClientOptions tls_options(const Session& session) const {
    return {.ca_pem = session.ca,
            .client_cert_pem = session.client_cert,
            .client_key_pem = session.client_key,
            .server_name = connection_.tls_server_name,
            .insecure_skip_verify = connection_.insecure_skip_verify,
            .proxy_url = connection_.proxy_url};
  }

  runtime::Runtime& runtime_;
  const Connection connection_;
  const AccessParts parts_;
  const std::unique_ptr<runtime::Event> renewed_;
  std::mutex mutex_;
  SessionPtr session_;                      // null: none yet
  bool renewing_ = false;                   // by one of the callers, or by renewal_
  std::optional<Error> failure_;            // of the last renewal
  Instant quiet_until_{};                   // after a failure: no renewal
  std::unique_ptr<runtime::Task> renewal_;  // last: it uses the members above
};

// parity: client-go headerKeyEscape(): RFC 7230's token characters without '%'
bool legal_in_header_name(unsigned char c) {
  constexpr std::string_view kMarks = "!#$&'*+-.^_`|~";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         kMarks.find(static_cast<char>(c)) != std::string_view::npos;
}

std::string escaped_header_name(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (legal_in_header_name(static_cast<unsigned char>(c))) {
      out += c;
    } else {
      constexpr std::string_view kHex = "0123456789ABCDEF";
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
    }
  }
  return out;
}

}  // namespace

void add_impersonation(const Impersonation& who, http::Headers& headers) {
  if (who.user.empty()) return;
  headers.set("Impersonate-User", who.user);
  if (!who.uid.empty()) headers.set("Impersonate-Uid", who.uid);
  for (const std::string& group : who.groups) headers.add("Impersonate-Group", group);
  for (const auto& [key, values] : who.extra) {
    for (const std::string& text : values) headers.add("Impersonate-Extra-" + escaped_header_name(key), text);
  }
}

std::unique_ptr<http::Transport> make_access_transport(runtime::Runtime& runtime, Connection connection,
                                                       AccessParts parts) {
  return std::make_unique<AccessTransport>(runtime, std::move(connection), std::move(parts));
}

}  // namespace tenon::kube
