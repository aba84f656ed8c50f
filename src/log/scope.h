// Scope: the fields that all lines of one reconciliation share: the controller, its object, and a number that is the
// reconcileID of the lines. Logger adds them to each line that is written while the Scope exists.
//
//   const log::Scope scope({.controller = "nodeclaim.lifecycle", .name = key});
//
// A Scope holds for the task that made it: runtime/ keeps that of each fiber, and passes it on to the tasks of
// in_parallel(). Scopes nest like blocks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "log/log.h"

namespace tenon::log {

class Scope {
 public:
  explicit Scope(Fields fields);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  // Fills what the line does not say itself. The name of an object is filled only if the line is of this controller.
  void add_to(Line& line) const;

  // Returns the innermost Scope of this task; null: none.
  static const Scope* current();
  // Replaces the innermost Scope and returns the former one. Only implementations of tasks call it.
  static const Scope* set_current(const Scope* scope);

 private:
  const Fields fields_;
  const uint64_t number_;
  const Scope* const outer_;
};

// Returns the fields of the reconciliation of an object. `key`: "name", "namespace/name", or "kind/name" as of
// controllers of several kinds ("provisioner/default"). The controller's name says of which kind the object is:
// "nodeclaim.lifecycle".
Fields reconciliation_of(const std::string& controller, const std::string& key);

}  // namespace tenon::log
