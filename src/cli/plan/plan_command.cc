// SPDX-License-Identifier: Apache-2.0
#include "cli/plan/plan_command.h"

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <sstream>

#include "base/text.h"
#include "catalog/plan_catalog.h"
#include "cli/documents/kwok_types_option.h"
#include "cli/documents/price_file_option.h"
#include "cli/documents/scheduler_config_option.h"
#include "cli/options/decisions.h"
#include "cli/plan/plan_faults.h"
#include "cli/plan/plan_input.h"
#include "cli/plan/plan_output.h"
#include "json/json.h"
#include "runtime/live.h"
#include "scheduling/bound/lower_bound.h"
#include "scheduling/check/check_solution.h"
#include "scheduling/solver.h"

namespace tenon::cli {
namespace {

constexpr size_t kRunnersUp = 10;  // per new node in a plan

struct Types {
  std::shared_ptr<const std::vector<model::InstanceType>> usable;
  std::vector<std::string> problems;
  std::string region;
};

Result<Types> load_types(const PlanOptions& options) {
  catalog::PlanCatalog catalog;
  if (options.catalog.empty()) {
    catalog = catalog::demo_catalog();
  } else {
    const std::string text = TRY(read_text(options.catalog, std::cin));
    catalog = TRY_IN(options.catalog, catalog::parse_plan_catalog(text));
  }
  Types out;
  out.region = catalog.region;
  std::vector<model::InstanceType> usable;
  for (model::InstanceType& type : catalog.types) {
    if (type.problem.empty()) {
      usable.push_back(std::move(type));
    } else if (!options.catalog.empty()) {  // some types of the built-in catalog are sold in other regions only
      out.problems.push_back("instance type " + type.name + " is ignored: " + type.problem);
    }
  }
  out.usable = std::make_shared<const std::vector<model::InstanceType>>(std::move(usable));
  return out;
}

Result<Instant> time_of(const PlanOptions& options, const PlanInputReader& reader, runtime::Runtime& clock) {
  if (!options.now.empty()) {
    const auto now = parse_rfc3339(options.now);
    if (!now) return fail(Code::kInvalid, "--now: \"" + options.now + "\" is not a time such as 2026-09-01T12:00:00Z");
    return *now;
  }
  const std::optional<Instant> scenario = TRY(reader.scenario_time());
  return scenario ? *scenario : clock.now();
}

// Passes the same documents to two readers: one without and one with the edit that follows.
class Both final : public DocumentSink {
 public:
  Both(DocumentSink& first, DocumentSink& second) : first_(first), second_(second) {}
  void document(const Document& document) override {
    first_.document(document);
    second_.document(document);
  }
  void restart() override {
    first_.restart();
    second_.restart();
  }

 private:
  DocumentSink &first_, &second_;
};

Status read_files(const PlanOptions& options, PlanInputReader& reader, PlanInputReader& edited) {
  if (options.after_edit.empty()) return read_documents(options.files, std::cin, reader);
  Both both(reader, edited);
  return read_documents(options.files, std::cin, both);
}

Result<PlanInput> finish_input(const PlanOptions& options, const InputOptions& input, PlanInputReader& reader,
                               PlanInputReader& edited, std::vector<DriftedNode>& drifted) {
  PlanInput before = TRY(reader.finish(input));
  if (options.after_edit.empty()) return before;
  const std::vector<Document> edit = TRY(read_documents({options.after_edit}, std::cin));
  for (const Document& document : edit) edited.document(document);
  PlanInput after = TRY(edited.finish(input));
  drifted = mark_drifted(before, after);
  return after;
}

// Plans of provision mode are checked by code that shares nothing with the solver; a plan that fails is not printed.
Status decide(Decision& decision, disruption::Options options) {
  PlanResult& result = decision.result;
  if (result.disrupt) {
    options.solve = decision.solve;
    result.pass = disruption::decide_disruption(result.input.snapshot, options);
    return ok();
  }
  decision.solve.explain = true;
  for (const auto& view : result.input.snapshot.nodes) {
    if (view.deleting()) decision.solve.removed_nodes.push_back(view.name());
  }
  result.solution = scheduling::solve(result.input.snapshot, decision.solve);
  TRY_IN("the plan fails its check (please report this)",
         scheduling::check_solution(result.input.snapshot, decision.solve, result.solution));
  result.lower_bound = scheduling::lower_bound(result.input.snapshot, decision.solve, result.solution);
  return ok();
}

std::string render(const PlanOptions& options, const PlanResult& result) {
  if (options.output == "json") return render_plan_json(plan_document(result));
  if (options.output == "yaml") return render_plan_yaml(plan_document(result));
  return render_plan_table(result);
}

Result<Decision> decide_with(const PlanOptions& options, size_t runners_up, std::ostream& err) {
  const auto clock = runtime::make_live_runtime();
  const Instant begun = clock->now();
  const Decisions decisions = TRY(make_decisions(options));
  const Gates& gates = decisions.gates;
  Decision decision;
  decision.solve = decisions.disruption.solve;
  decision.solve.runners_up = runners_up;
  InputOptions input{.types = nullptr,
                     .now = {},
                     .node_overlays = gates.node_overlays,
                     .capacity_buffers = gates.capacity_buffers,
                     .ignore_dra_requests = options.ignore_dra_requests,
                     .price_file = {},
                     .region = {}};
  // Not within the braces: if a TRY there returns, g++ 12 leaks the members constructed before it.
  if (!options.scheduler_config.empty()) input.default_spread = TRY(read_scheduler_config(options.scheduler_config));
  PlanInputReader reader(input), edited(input);
  TRY(read_files(options, reader, edited));
  input.now = TRY(time_of(options, reader, *clock));
  const Types types = TRY(load_types(options));
  input.types = types.usable;
  std::vector<model::InstanceType> kwok_types = TRY(read_kwok_types(options.kwok_instance_types));
  input.kwok_types = std::make_shared<const std::vector<model::InstanceType>>(std::move(kwok_types));
  input.region = types.region;
  PlanResult& result = decision.result;
  result.disrupt = options.mode == "disrupt";
  if (!options.price_file.empty()) input.price_file = TRY(read_price_file(options.price_file));
  result.input = TRY(finish_input(options, input, reader, edited, result.drifted));
  const auto of_disruption = result.disrupt ? disruption_warnings(result.input.snapshot) : std::vector<std::string>();
  for (const auto& warnings : {types.problems, result.input.warnings, of_disruption}) {
    for (const std::string& warning : warnings) err << "tenon: " << warning << "\n";
  }
  const Instant read = clock->now();
  TRY(decide(decision, decisions.disruption));
  decision.reading = read - begun;
  decision.deciding = clock->now() - read;
  return decision;
}

Result<int> plan(const PlanOptions& options, std::ostream& out, std::ostream& err) {
  Decision decision = TRY(decide_plan(options, err));
  PlanResult& result = decision.result;
  take_out_buffers(result.input.buffer_of, result.solution, result.input.buffers);
  take_out_buffers(result.input.buffer_of, result.pass);
  out << render(options, result);
  if (options.stats) {
    const auto ms = [](Duration d) { return std::chrono::duration_cast<std::chrono::milliseconds>(d).count(); };
    err << "read " << ms(decision.reading) << " ms, decided " << ms(decision.deciding) << " ms, "
        << result.solution.steps + result.pass.steps << " steps, and " << result.lower_bound.steps
        << " for the lower bound\n";
  }
  const bool unplaced = !result.solution.unschedulable.empty() || !result.input.unplannable.empty();
  return !result.disrupt && unplaced ? kExitUnplaced : kExitDone;
}

}  // namespace

Result<Decision> decide_plan(const PlanOptions& options, std::ostream& err) {
  return decide_with(options, kRunnersUp, err);
}

Result<PlanResult> explained_plan(const PlanOptions& options, std::ostream& err) {
  PlanOptions provision = options;
  provision.mode = "provision";
  Decision decision = TRY(decide_with(provision, SIZE_MAX, err));
  PlanResult& result = decision.result;
  take_out_buffers(result.input.buffer_of, result.solution, result.input.buffers);
  return std::move(result);
}

int run_plan(const PlanOptions& options, std::ostream& out, std::ostream& err) {
  const Result<int> code = plan(options, out, err);
  if (code) return *code;
  err << "tenon plan: " << code.error().message << "\n";
  return kExitError;
}

}  // namespace tenon::cli
