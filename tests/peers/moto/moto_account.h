// The moto that tests/peers/moto-server has started and tests/peers/moto_world.py has filled, and a client of ours,
// which gets the address and the keys from the environment as any AWS client does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "aws/client.h"
#include "http/curl_transport.h"
#include "runtime/live.h"

namespace tenon::peers {

std::string environment_value(const std::string& name);  // aborts the test program if it is not set

class MotoTest : public ::testing::Test {
 protected:
  MotoTest();
  ~MotoTest() override;

  // moto judges signatures and policies only after a call that enables it; every test starts with that enabled.
  void check_signatures(bool on) const;
  // Returns another client of the same account; `transport` and `credentials` must outlive it.
  std::unique_ptr<aws::Client> client_with(http::Transport& transport, aws::CredentialsProvider& credentials) const;

  const std::unique_ptr<runtime::LiveRuntime> runtime_;
  const std::unique_ptr<http::Transport> transport_;
  const std::unique_ptr<aws::CredentialsProvider> credentials_;
  const std::unique_ptr<aws::Client> client_;
  const std::stop_token stop_;
};

}  // namespace tenon::peers
