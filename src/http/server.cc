// SPDX-License-Identifier: Apache-2.0
//
// One thread accepts, reaps ended connections, and learns from epoll when the peer of a connection hangs up while its
// handler runs (the handler may be blocked in a watch). One thread for each connection does the rest.
#include "http/server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "base/check.h"
#include "http/byte_stream.h"
#include "http/connection_writer.h"
#include "http/descriptor.h"
#include "http/limits.h"
#include "http/listener.h"
#include "http/request_reader.h"

namespace tenon::http {
namespace {

// Keys in epoll; connections have higher keys.
constexpr uint64_t kListenKey = 0, kWakeKey = 1, kFirstConnectionKey = 2;

struct Connection {
  uint64_t key = 0;
  Descriptor socket;
  std::jthread thread;
  std::mutex mutex;
  std::stop_source request_stop;  // of the current request; under mutex

  std::stop_source current_stop() {
    std::lock_guard lock(mutex);
    return request_stop;
  }
};

// The main thread handles signals. Nothing handles SIGPIPE.
void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

void set_flag(int fd, int level, int option) {
  const int on = 1;
  setsockopt(fd, level, option, &on, sizeof on);
}

class SocketServer : public Server {
 public:
  SocketServer(Handler& handler, std::unique_ptr<TlsContext> tls, Listener listener, ServerOptions options)
      : handler_(handler),
        tls_(std::move(tls)),
        max_connections_(options.max_connections),
        threw_(std::move(options.threw)),
        port_(listener.port),
        listener_(std::move(listener.socket)),
        epoll_(epoll_create1(EPOLL_CLOEXEC)),
        wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    CHECK(epoll_.get() >= 0 && wake_.get() >= 0, "no descriptors left for a server");
    watch(listener_.get(), EPOLLIN, kListenKey);
    watch(wake_.get(), EPOLLIN, kWakeKey);
    acceptor_ = std::jthread([this] { accept_loop(); });
  }
  ~SocketServer() override;
  uint16_t port() const override { return port_; }

 private:
  void accept_loop();
  void accept_all();
  void start_connection(Descriptor socket);
  void reap();
  void peer_hung_up(uint64_t key);
  void wake() const {
    const uint64_t one = 1;
    (void)!write(wake_.get(), &one, sizeof one);
  }
  void watch(int fd, uint32_t events, uint64_t key) const {
    epoll_event event{};
    event.events = events;
    event.data.u64 = key;
    epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event);
  }
  void unwatch(int fd) const { epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr); }

  void connection_main(Connection& connection);
  void serve_requests(Connection& connection, ByteStream& stream);
  bool serve_one(Connection& connection, ByteStream& stream, IncomingRequest incoming);
  std::vector<std::shared_ptr<Connection>> all_connections();

  Handler& handler_;
  const std::unique_ptr<TlsContext> tls_;  // null: plain
  const size_t max_connections_;
  const std::function<void(const ServerRequest& request, std::string_view what)> threw_;
  const uint16_t port_;
  const Descriptor listener_, epoll_, wake_;
  std::atomic<bool> stopping_ = false;
  bool listening_ = true;  // used by the acceptor only
  std::mutex mutex_;
  std::condition_variable one_ended_;
  std::map<uint64_t, std::shared_ptr<Connection>> connections_;
  std::vector<std::shared_ptr<Connection>> ended_;
  uint64_t next_key_ = kFirstConnectionKey;
  std::jthread acceptor_;
};

SocketServer::~SocketServer() {
  stopping_ = true;
  wake();
  acceptor_.join();
  for (const auto& connection : all_connections()) {
    connection->current_stop().request_stop();
    shutdown(connection->socket.get(), SHUT_RD);  // ends connections that wait for another request
  }
  {
    std::unique_lock lock(mutex_);
    one_ended_.wait_for(lock, kDrainTimeout, [this] { return connections_.empty(); });
  }
  for (const auto& connection : all_connections()) shutdown(connection->socket.get(), SHUT_RDWR);
  {
    std::unique_lock lock(mutex_);
    one_ended_.wait(lock, [this] { return connections_.empty(); });
  }
  reap();
}

std::vector<std::shared_ptr<Connection>> SocketServer::all_connections() {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Connection>> all;
  for (const auto& [key, connection] : connections_) all.push_back(connection);
  return all;
}

void SocketServer::accept_loop() {
  pthread_setname_np(pthread_self(), "http-accept");
  block_signals();
  epoll_event events[64];
  while (!stopping_) {
    const int count = epoll_wait(epoll_.get(), events, 64, -1);
    for (int i = 0; i < count; ++i) {
      const uint64_t key = events[i].data.u64;
      if (key == kListenKey) {
        accept_all();
      } else if (key == kWakeKey) {
        uint64_t ignored = 0;
        (void)!read(wake_.get(), &ignored, sizeof ignored);
        reap();
      } else {
        peer_hung_up(key);
      }
    }
  }
}

void SocketServer::accept_all() {
  while (true) {
    Descriptor socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (socket.get() < 0) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
        unwatch(listener_.get());  // until a connection has ended
        listening_ = false;
      }
      if (errno == EINTR || errno == ECONNABORTED) continue;
      return;
    }
    start_connection(std::move(socket));
  }
}

void SocketServer::start_connection(Descriptor socket) {
  set_flag(socket.get(), IPPROTO_TCP, TCP_NODELAY);
  set_flag(socket.get(), SOL_SOCKET, SO_KEEPALIVE);
  std::lock_guard lock(mutex_);
  if (connections_.size() >= max_connections_) {
    static constexpr std::string_view kFull =
        "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    if (!tls_) (void)!send(socket.get(), kFull.data(), kFull.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return;
  }
  auto connection = std::make_shared<Connection>();
  connection->key = next_key_++;
  connection->socket = std::move(socket);
  connections_.emplace(connection->key, connection);
  Connection* self = connection.get();  // lives until its thread is joined
  connection->thread = std::jthread([this, self] { connection_main(*self); });
}

void SocketServer::reap() {
  std::vector<std::shared_ptr<Connection>> ended;
  {
    std::lock_guard lock(mutex_);
    ended.swap(ended_);
  }
  for (const auto& connection : ended) connection->thread.join();
  if (!listening_ && !stopping_) {
    listening_ = true;
    watch(listener_.get(), EPOLLIN, kListenKey);
  }
}

void SocketServer::peer_hung_up(uint64_t key) {
  std::shared_ptr<Connection> connection;
  {
    std::lock_guard lock(mutex_);
    const auto found = connections_.find(key);
    if (found != connections_.end()) connection = found->second;
  }
  if (connection) connection->current_stop().request_stop();
}

void SocketServer::connection_main(Connection& connection) {
  pthread_setname_np(pthread_self(), "http-connection");
  block_signals();
  const int fd = connection.socket.get();
  if (tls_) {
    if (auto stream = tls_->accept(fd)) serve_requests(connection, **stream);
  } else {
    const auto stream = make_plain_stream(fd);
    serve_requests(connection, *stream);
  }
  shutdown(fd, SHUT_RDWR);
  std::lock_guard lock(mutex_);
  const auto self = connections_.find(connection.key);
  ended_.push_back(std::move(self->second));
  connections_.erase(self);
  one_ended_.notify_all();
  wake();
}

// Reads the rest of the peer's data, so that close() does not reset the connection before the peer has read the answer.
void linger(ByteStream& stream) {
  stream.finish();
  std::string ignored;
  size_t total = 0;
  while (total < kMaxRequestBodyBytes && stream.read(ignored, kLingerTimeout)) {
    total += ignored.size();
    ignored.clear();
  }
}

void SocketServer::serve_requests(Connection& connection, ByteStream& stream) {
  RequestReader reader(stream);
  while (true) {
    auto incoming = reader.next();
    if (!incoming) {
      const ReadEnd& end = incoming.error();
      if (end.answer_status == 0) break;
      ConnectionWriter writer(stream, {});
      writer.respond({end.answer_status, {{"Content-Type", "text/plain"}}, end.why + "\n"});
      return linger(stream);
    }
    if (!serve_one(connection, stream, std::move(*incoming))) break;
  }
  stream.finish();
}

bool SocketServer::serve_one(Connection& connection, ByteStream& stream, IncomingRequest incoming) {
  PeerIdentity peer = stream.peer();
  incoming.request.client_common_name = std::move(peer.common_name);
  incoming.request.client_organizations = std::move(peer.organizations);
  std::stop_source stop;
  {
    std::lock_guard lock(connection.mutex);
    connection.request_stop = stop;
  }
  if (stopping_) stop.request_stop();
  watch(connection.socket.get(), EPOLLRDHUP | EPOLLONESHOT, connection.key);
  ConnectionWriter writer(
      stream,
      {.head = incoming.request.method == "HEAD", .http_1_0 = incoming.http_1_0, .keep_alive = incoming.keep_alive});
  try {
    handler_.serve(incoming.request, writer, stop.get_token());
  } catch (const std::exception& bug) {
    if (threw_) threw_(incoming.request, bug.what());
    // An exception ends the request, not the process. An answer that is cut short must not look complete.
    if (writer.answered()) return false;
    writer.close_afterwards();
  }
  unwatch(connection.socket.get());
  return writer.finish() && !stopping_;
}

}  // namespace

Result<std::unique_ptr<Server>> start_server(Handler& handler, ServerOptions options) {
  std::unique_ptr<TlsContext> tls;
  if (options.tls) tls = TRY(make_tls_context(*options.tls));
  Listener listener = TRY(listen_on(options.address, options.port));
  return std::unique_ptr<Server>(
      std::make_unique<SocketServer>(handler, std::move(tls), std::move(listener), std::move(options)));
}

}  // namespace tenon::http
