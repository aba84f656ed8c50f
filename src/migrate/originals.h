// The objects of a cluster as they were before its conversion: what a roll-back file contains, and what --rollback
// restores. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "migrate/decide.h"
#include "migrate/observed.h"

namespace tenon::migrate {

struct Originals {
  std::string cluster;  // uid of its namespace kube-system
  // Provisioners, AWSNodeTemplates, karpenter-global-settings; Nodes and NodeClaims of Provisioners. A Node has no
  // status, which the conversion does not change.
  Documents objects;
  std::map<std::string, aws::Tags> instances;  // by id
};

// Adds what is not in it yet and has not been converted. What an earlier run has recorded stays as it is.
void add_originals(const Observed& observed, Originals& originals);

// The file: YAML with a note on its use. Errors of read_originals(): kInvalid, the text is no roll-back file.
std::string write_originals(const Originals& originals);
Result<Originals> read_originals(std::string_view text);

// Returns the writes that restore the originals: Provisioners and AWSNodeTemplates are created again, each of their
// nodes gets its earlier owner, labels and tags, and the NodePools and EC2NodeClasses that the conversion created are
// deleted, unless other nodes use them. Nodes that have ended since are gone. The NodeClaims are new objects: their age
// starts again. rollback.cc
Plan decide_rollback(const Observed& observed, const Originals& originals);

}  // namespace tenon::migrate
