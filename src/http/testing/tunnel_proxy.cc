// SPDX-License-Identifier: Apache-2.0
#include "http/testing/tunnel_proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <array>
#include <mutex>
#include <thread>

#include "base/check.h"
#include "http/descriptor.h"

namespace tenon::http::testing {
namespace {

sockaddr_in loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// Returns false if the peer has closed.
bool forward(int from, int to) {
  std::array<char, 16384> bytes;
  const ssize_t got = recv(from, bytes.data(), bytes.size(), 0);
  return got > 0 && send(to, bytes.data(), static_cast<size_t>(got), MSG_NOSIGNAL) == got;
}

}  // namespace

struct TunnelProxy::State {
  Descriptor listener{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  Descriptor ended{eventfd(0, EFD_CLOEXEC)};
  uint16_t port = 0, target = 0;
  std::mutex mutex;
  std::vector<std::string> requests;
  std::vector<std::thread> tunnels;  // of the accepting thread
  std::thread accepting;

  // Waits for one of them. Returns false at the end of the proxy.
  bool wait(std::array<pollfd, 3>& fds) const {
    fds[0] = {ended.get(), POLLIN, 0};
    return poll(fds.data(), fds.size(), -1) > 0 && fds[0].revents == 0;
  }

  void accept_all() {
    while (true) {
      std::array<pollfd, 3> fds{pollfd{}, pollfd{listener.get(), POLLIN, 0}, pollfd{-1, 0, 0}};
      if (!wait(fds)) break;
      tunnels.emplace_back([this, client = Descriptor(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC))] {
        serve(client.get());
      });
    }
    for (std::thread& tunnel : tunnels) tunnel.join();
  }

  void serve(int client) {
    std::string head;
    for (char c = 0; !head.ends_with("\r\n\r\n");) {
      std::array<pollfd, 3> fds{pollfd{}, pollfd{client, POLLIN, 0}, pollfd{-1, 0, 0}};
      if (!wait(fds) || recv(client, &c, 1, 0) != 1) return;
      head += c;
    }
    {
      const std::lock_guard lock(mutex);
      requests.push_back(head.substr(0, head.find('\r')));
    }
    const Descriptor server(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in address = loopback(target);
    if (connect(server.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return;
    constexpr std::string_view kOpen = "HTTP/1.1 200 Connection established\r\n\r\n";
    if (send(client, kOpen.data(), kOpen.size(), MSG_NOSIGNAL) < 0) return;
    while (true) {
      std::array<pollfd, 3> fds{pollfd{}, pollfd{client, POLLIN, 0}, pollfd{server.get(), POLLIN, 0}};
      if (!wait(fds)) return;
      if (fds[1].revents != 0 && !forward(client, server.get())) return;
      if (fds[2].revents != 0 && !forward(server.get(), client)) return;
    }
  }
};

TunnelProxy::TunnelProxy(uint16_t target) : state_(std::make_unique<State>()) {
  state_->target = target;
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  const int listener = state_->listener.get();
  CHECK(bind(listener, any, size) == 0 && listen(listener, 16) == 0 && getsockname(listener, any, &size) == 0,
        "no port for the proxy");
  state_->port = ntohs(address.sin_port);
  state_->accepting = std::thread([this] { state_->accept_all(); });
}

TunnelProxy::~TunnelProxy() {
  eventfd_write(state_->ended.get(), 1);
  state_->accepting.join();
}

std::string TunnelProxy::url() const { return "http://127.0.0.1:" + std::to_string(state_->port); }

std::vector<std::string> TunnelProxy::requests() const {
  const std::lock_guard lock(state_->mutex);
  return state_->requests;
}

}  // namespace tenon::http::testing
