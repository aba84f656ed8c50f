// Turns documents into a Snapshot: fills in what an API server and its controllers would fill in; an unsupported
// setting becomes a reason on its object, and the rest is planned.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog/price_file.h"
#include "cli/documents/plan_documents.h"
#include "cli/plan/plan_buffers.h"
#include "model/instance_type.h"
#include "model/node_class.h"
#include "scheduling/input/snapshot.h"

namespace tenon::cli {

struct PlanInput {
  scheduling::Snapshot snapshot;
  std::map<std::string, std::string> ignored;          // pod → why the autoscaler does not place it
  std::map<std::string, std::string> unplannable;      // pod → what is wrong with it
  std::map<std::string, std::string> pools_not_ready;  // NodePool → why
  std::map<std::string, model::NodeClass> node_classes;
  std::map<std::string, std::string> overlays_refused;  // NodeOverlay → why
  BufferStates buffers;                                 // CapacityBuffers, by namespace/name
  std::map<std::string, std::string> buffer_of;         // pod that represents reserved capacity → its buffer
  std::vector<std::string> warnings;
};

struct InputOptions {
  std::shared_ptr<const std::vector<model::InstanceType>> types;  // of every pool but those of KWOKNodeClasses
  Instant now{};
  std::vector<model::SpreadConstraint> default_spread = {};  // for pods without constraints of their own
  bool node_overlays = false, capacity_buffers = false;      // feature gates
  bool ignore_dra_requests = true;
  catalog::PriceFile price_file = {};
  std::string region = {};                                                  // of the catalog
  std::shared_ptr<const std::vector<model::InstanceType>> kwok_types = {};  // of pools of KWOKNodeClasses
};

// Takes the documents of a plan one by one, and keeps of each what the plan needs.
class PlanInputReader final : public DocumentSink {
 public:
  // Uses only the feature gates and the default spread of `options`; finish() uses all of them.
  explicit PlanInputReader(const InputOptions& options);
  ~PlanInputReader() override;
  void document(const Document& document) override;
  void restart() override;

  // After all documents: returns the time that a scenario's ConfigMap names, if there is one. Errors: kInvalid.
  Result<std::optional<Instant>> scenario_time() const;
  // After all documents, once. Errors: kInvalid with file, document and field path.
  Result<PlanInput> finish(const InputOptions& options);

 private:
  class Builder;
  struct Read;
  const InputOptions options_;
  std::unique_ptr<Read> read_;
};

// Errors: kInvalid with file, document and field path.
Result<PlanInput> make_plan_input(const std::vector<Document>& documents, const InputOptions& options);

}  // namespace tenon::cli
