// Every event that the controllers record: docs/reference/events.md is made of this table, and the scenarios compare
// each recorded event with it.
// parity: karpenter pkg/events and the events.go of its controllers; provider-aws pkg/controllers/interruption/events
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace tenon::plan {

struct EventRow {
  std::string_view reason;   // "<…>" if it is not one word: "<condition>"
  std::string_view type;     // Normal, Warning, or both divided by a space
  std::string_view objects;  // kinds, divided by spaces
  std::string_view message;  // parts in <…> differ from event to event
  std::string_view when;
};
std::span<const EventRow> event_table();

// Returns whether a row has this reason, type and kind, and a message of this shape.
bool in_event_table(std::string_view reason, std::string_view type, std::string_view kind, std::string_view message);

}  // namespace tenon::plan
