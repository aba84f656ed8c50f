// Runs the webhook server of a replica. Every replica serves, whether or not it leads, and before its informers start:
// the API server needs the conversion to list NodePools that are stored as v1beta1, also for these informers.
//
//   Webhooks webhooks(runtime, client, options);
//   log(webhooks.reconcile(stop));   // once, before the informers start
//   webhooks.start();                // and every kInterval
//
// Without a registration (registrations.h) it opens no port and reads no Secret. While the webhooks do not work, the
// controllers continue: they check at runtime what the webhooks would refuse.
// Thread rule: one thread calls; start() adds one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "http/server.h"
#include "log/log.h"
#include "webhooks/certificate.h"
#include "webhooks/handler.h"

namespace tenon::webhooks {

inline constexpr Duration kInterval = 1min, kRetry = 5s;

struct Options {
  ServiceName service;
  uint16_t port = 8443;   // 0: a free one
  bool admission = true;  // the webhooks of v0.27; false: conversion only
  log::Logger log = {};
};

class Webhooks {
 public:
  // Borrows runtime and client.
  Webhooks(runtime::Runtime& runtime, kube::Client& client, Options options)
      : runtime_(runtime), client_(client), options_(std::move(options)) {}
  ~Webhooks();

  // Reads the registrations; if there is one, serves with the shared certificate and puts its CA into all of them.
  // Errors: the first one; the steps that do not depend on it are done.
  Status reconcile(const std::stop_token& stop);
  void start();

  // The port while it serves.
  std::optional<uint16_t> port() const { return server_ ? std::optional(server_->port()) : std::nullopt; }

 private:
  Status serve(const Certificate& certificate);

  runtime::Runtime& runtime_;
  kube::Client& client_;
  const Options options_;
  ReviewHandler handler_;
  Certificate serving_;  // of server_
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<runtime::Task> task_;  // last: it uses the members above
};

}  // namespace tenon::webhooks
