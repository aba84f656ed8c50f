// A small cluster in virtual time on which a scenario of life-cycle/ acts: the embedded API server and AWS, and the
// controllers at wire level. life_play.h documents the format.
// Owned and used by the one thread that runs the test.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/demo/world.h"
#include "life_play.h"

namespace tenon::scenarios {

class LifeWorld {
 public:
  // From the document of kind Life. Errors: kInvalid: it is malformed, or the API server rejects an object.
  static Result<std::unique_ptr<LifeWorld>> make(const boost::json::value& life, const AwsWire& aws_wire = {});

  // Performs the actions of one step, in their order. Errors: kInvalid, or the error of the API server; kTimeout: the
  // expectation of the step did not hold in time (or not throughout), with the differences.
  Status act(const boost::json::value& step);
  // Returns the events and conditions so far that src/plan/event_table.cc and condition_table.cc do not have, and the
  // log lines whose keys differ from src/log/messages.cc.
  std::vector<std::string> undocumented();

 private:
  using value = boost::json::value;
  LifeWorld() = default;
  Status set_up(const value& life, const AwsWire& aws_wire);
  struct Fault {
    std::string call, code;
    int64_t left = 0;
  };

  Status perform(std::string_view action, const value& how, const value& expected);
  Status create(value object);
  Status create_pods(const value& pods);
  Status patch(const value& how);
  Status set_condition(const value& how);
  Status remove(const value& reference);
  Status fail_calls(const value& how);
  Status set_machines(const value& how);
  Status terminate(const std::string& reference);
  Status call(const value& how);
  Status delete_templates();
  Status shift(const value& how);
  Status warn(const value& how);
  Status impair(const value& how);
  Status send(const value& messages);
  Status reserve(const value& how);
  Status place(const value& how);
  Status cancel(const std::string& name);
  Result<std::string> instance_of(const std::string& reference);  // the id, by NodeClaim
  Status advance_to(Duration age);
  Status wait(std::string_view how, Duration at_most, const value& expected);

  // Returns all differences between the world and the expectation.
  std::vector<std::string> differences(const value& expected);
  void compare_objects(const value& wanted, std::vector<std::string>& out);
  void compare_events(const value& wanted, std::vector<std::string>& out);
  void compare_metrics(const value& wanted, std::vector<std::string>& out) const;
  void compare_instances(const value& wanted, std::vector<std::string>& out);
  void compare_tags(const value& wanted, std::vector<std::string>& out);

  void note(const log::Line& line);
  void compare_log(const value& wanted, std::vector<std::string>& out) const;

  // "NodeClaim" (the only one), "NodeClaim#1" (the second oldest), "Pod/a".
  std::vector<kubesim::Object> all_of(const std::string& kind);
  Result<kubesim::Object> find(const std::string& reference);
  // Returns `v` with every "$(Node#0)", "$(NodeClaim.status.providerID)" and "$(NodeClaim.instance)" replaced in its
  // texts.
  Status fill_in(value& v);

  std::string answer_call(const std::string& action);

  Instant began_{};  // the first step
  bool up_ = true;   // the controllers
  std::vector<Fault> faults_;
  std::map<std::string, std::string> reservations_;  // name → id
  std::string shift_;                                // id of the last zonal shift
  std::vector<std::string> refused_;                 // requests of the controllers that their roles do not allow
  class LogOfLife;
  std::vector<std::string> decided_;  // log of the controllers
  // The lines of src/log/messages.cc without repetition: "INFO node.termination | deleted node | NodePool NodeClaim
  // Node".
  std::vector<std::string> logged_;
  std::shared_ptr<kubesim::MachineFaults> machines_ = std::make_shared<kubesim::MachineFaults>();
  std::unique_ptr<cli::SimWorld> world_;  // last: it calls the members above
};

}  // namespace tenon::scenarios
