// The PodDisruptionBudgets of a plan's documents; a budget without a status gets the one that its controller would
// write. Pure; one thread at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/fwd.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/documents/plan_documents.h"
#include "cli/plan/plan_pods.h"
#include "model/pod.h"

namespace tenon::cli {

class Budgets {
 public:
  // If two budgets have one name, the later one counts. Errors: kInvalid, with file, document and field path.
  Status add(const Document& d);
  // After all documents and Pods::place(). Returns the budgets by namespace/name.
  std::vector<std::shared_ptr<const model::PodDisruptionBudget>> finish(const Pods& pods, Instant now);

 private:
  struct Budget {
    model::PodDisruptionBudget budget;
    std::shared_ptr<const boost::json::value> document;
  };
  std::map<std::string, Budget> budgets_;  // by namespace/name
};

}  // namespace tenon::cli
