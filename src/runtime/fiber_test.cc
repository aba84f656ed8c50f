// SPDX-License-Identifier: Apache-2.0
#include "runtime/fiber.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "log/scope.h"

namespace tenon::runtime {
namespace {

TEST(Fiber, RunsInPiecesAmongOthers) {
  std::string order;
  Fiber* self_a = nullptr;
  Fiber* self_b = nullptr;
  Fiber a([&] {
    order += "a";
    self_a->give_way();
    order += "A";
  });
  Fiber b([&] {
    order += "b";
    self_b->give_way();
    order += "B";
  });
  self_a = &a;
  self_b = &b;
  EXPECT_EQ(order, "");
  a.resume();
  b.resume();
  EXPECT_EQ(order, "ab");
  EXPECT_FALSE(a.ended());
  b.resume();
  a.resume();
  EXPECT_EQ(order, "abBA");
  EXPECT_TRUE(a.ended() && b.ended());
}

TEST(Fiber, KeepsTheScopeOfItsLog) {
  Fiber* self = nullptr;
  const log::Scope* inside = nullptr;
  Fiber fiber([&] {
    const log::Scope own({.controller = "own"});
    self->give_way();
    inside = log::Scope::current();
    EXPECT_EQ(inside, &own);
  });
  self = &fiber;
  fiber.resume();
  EXPECT_EQ(log::Scope::current(), nullptr);
  const log::Scope outer({.controller = "outer"});
  fiber.resume();
  EXPECT_NE(inside, nullptr);
  EXPECT_EQ(log::Scope::current(), &outer);
}

TEST(Fiber, ResumesAnotherFromInside) {
  std::string order;
  Fiber inner([&] { order += "inner"; });
  Fiber outer([&] {
    inner.resume();
    order += " outer";
  });
  outer.resume();
  EXPECT_EQ(order, "inner outer");
}

TEST(Fiber, WhatItCapturedGoesWhenItEnds) {
  auto held = std::make_shared<int>(7);
  const std::weak_ptr<int> watched = held;
  Fiber fiber([held = std::move(held)] {});
  EXPECT_FALSE(watched.expired());
  fiber.resume();
  EXPECT_TRUE(watched.expired());
}

// Three megabytes: more than many a default for threads of other libraries.
int deep(int levels) {
  volatile char room[1024] = {};
  room[0] = 1;
  return levels == 0 ? 0 : deep(levels - 1) + room[0];
}

TEST(Fiber, HasAThreadsStack) {
  int reached = 0;
  Fiber fiber([&] { reached = deep(3000); });
  fiber.resume();
  EXPECT_EQ(reached, 3000);
}

TEST(Fiber, ExceptionsAreCaughtOnTheirOwnStack) {
  std::vector<std::string> caught;
  Fiber* self = nullptr;
  Fiber fiber([&] {
    for (const char* what : {"first", "second"}) {
      try {
        throw std::runtime_error(what);
      } catch (const std::runtime_error& error) {
        caught.emplace_back(error.what());
      }
      self->give_way();
    }
  });
  self = &fiber;
  fiber.resume();
  try {
    throw std::runtime_error("outside");
  } catch (const std::runtime_error& error) {
    caught.emplace_back(error.what());
  }
  fiber.resume();
  fiber.resume();
  EXPECT_EQ(caught, (std::vector<std::string>{"first", "outside", "second"}));
}

using FiberDeathTest = testing::Test;

TEST(FiberDeathTest, MustNotGoInTheMiddleOfItsWork) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        Fiber* self = nullptr;
        Fiber fiber([&] { self->give_way(); });
        self = &fiber;
        fiber.resume();
      },
      "in the middle of its work");
}

}  // namespace
}  // namespace tenon::runtime
