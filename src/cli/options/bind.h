// at<&PlanOptions::price_file, &ControllerOptions::price_file> is a Row::field: it returns the member that the
// subcommand's options have.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "cli/options/row.h"

namespace tenon::cli {

// Returns the member of `options`; std::monostate if its class has no such member. `tenon why` also takes the options
// of its plan.
template <class Options, class Class, class Value>
Field member_of(Options& options, Value Class::* member) {
  if constexpr (std::is_base_of_v<Class, Options>) {
    return &(options.*member);
  } else if constexpr (std::is_same_v<Options, WhyOptions>) {
    return member_of(options.plan, member);
  } else {
    return {};
  }
}

template <auto... kMembers>
Field at(CommandLine& line, Command command) {
  const auto in = [](auto& options) {
    Field found;
    const auto keep = [&found](const Field& field) {
      if (field.index() != 0) found = field;
    };
    (keep(member_of(options, kMembers)), ...);
    return found;
  };
  switch (command) {
    case Command::kDemo: return in(line.demo);
    case Command::kAdvance: return in(line.advance);
    case Command::kController: return in(line.controller);
    case Command::kPlan: return in(line.plan);
    case Command::kWhy: return in(line.why);
    case Command::kConvert: return in(line.convert);
    case Command::kAdopt: return in(line.adopt);
    case Command::kValidate: return in(line.validate);
    case Command::kInstall: return in(line.install);
    case Command::kFakeAws: return in(line.fake_aws);
    case Command::kVersion: return in(line.version);
    case Command::kCompletion: return in(line.completion);
    case Command::kMan: return in(line.man);
  }
  return {};
}

}  // namespace tenon::cli
