// SPDX-License-Identifier: Apache-2.0
#include "http/listener.h"

#include <netdb.h>
#include <netinet/in.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "http/limits.h"

namespace tenon::http {
namespace {

constexpr const char* kEveryIpv6 = "::";
constexpr const char* kEveryIpv4 = "0.0.0.0";

struct Attempt {
  Listener listener;
  int error = 0;  // errno; 0: success
};

bool is_without_ipv6(int error) { return error == EAFNOSUPPORT || error == EPROTONOSUPPORT || error == EADDRNOTAVAIL; }

void set_option(int fd, int level, int option, int value) { setsockopt(fd, level, option, &value, sizeof value); }

Attempt listen_at(const addrinfo& address, bool both_families, const OpenSocket& open_socket) {
  Attempt attempt;
  attempt.listener.socket =
      Descriptor(open_socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, address.ai_protocol));
  const int fd = attempt.listener.socket.get();
  if (fd < 0) {
    attempt.error = errno;
    return attempt;
  }
  set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
  // The system's default (net.ipv6.bindv6only) may be IPv6 only.
  if (both_families) set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
  if (bind(fd, address.ai_addr, address.ai_addrlen) != 0 || listen(fd, kListenBacklog) != 0) {
    attempt.error = errno;
    return attempt;
  }
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &size);
  attempt.listener.port = ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port
                                                            : reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
  return attempt;
}

Result<Attempt> attempt_at(const std::string& address, uint16_t port, bool both_families,
                           const OpenSocket& open_socket) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int resolved = getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (resolved != 0) return fail(Code::kInvalid, "address: not an IP address: '" + address + "'");
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(found, freeaddrinfo);
  return listen_at(*owned, both_families, open_socket);
}

}  // namespace

Result<Listener> listen_on(const std::string& address, uint16_t port, const OpenSocket& open_socket) {
  const bool every = address.empty();
  std::string tried = every ? kEveryIpv6 : address;
  Attempt attempt = TRY(attempt_at(tried, port, every, open_socket));
  if (every && is_without_ipv6(attempt.error)) {
    tried = kEveryIpv4;
    attempt = TRY(attempt_at(tried, port, false, open_socket));
  }
  if (attempt.error == 0) return std::move(attempt.listener);
  if (tried.find(':') != std::string::npos) tried = "[" + tried + "]";
  return fail(Code::kUnavailable,
              "cannot listen on " + tried + ":" + std::to_string(port) + ": " +
                  (attempt.error == EADDRINUSE ? "the port is taken" : std::strerror(attempt.error)));
}

}  // namespace tenon::http
