// Forecast: the nodes to which kube-scheduler is likely to bind the pods of nodes that are removed. The method is in
// forecast.cc, the scores are in forecast_scores.cc.
//
// Borrows the Problem; not thread-safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "base/prng.h"
#include "scheduling/search_state/first_fit.h"

namespace tenon::scheduling {

// Nodes that are removed, and the nodes that replace them.
struct Removal {
  struct Launched {
    size_t pool, row;
  };
  std::span<const size_t> nodes;   // existing ones
  std::span<const size_t> pods;    // that ran there when the Problem was compiled, in the order of their eviction
  std::span<const Launched> plan;  // their replacements
  Prng* draw = nullptr;            // draws among nodes with equal scores; null: the first
  // True: pods on their way are placed between `pods`, when the nodes of `plan` exist. False: they are placed first,
  // before those nodes exist.
  bool amid = false;
};

// The result for the pods of the removed nodes.
struct ForecastResult {
  std::optional<size_t> unschedulable;  // the first pod without room
  std::optional<model::Price> price;    // of the nodes launched for all such pods; empty if one cannot have any
};

class Forecast {
 public:
  // Nodes with room for one pod, by class.
  struct Room {
    std::vector<RowSet> now;   // ready nodes, for pods that are evicted now
    std::vector<RowSet> soon;  // these and nodes that are not ready yet
  };
  // `on_their_way`: pods that wait for a node and for which there is room, in the order of their placement: pending
  // pods and pods of nodes that are being deleted. `now` does not place them.
  Forecast(State now, Room room, std::vector<size_t> on_their_way);

  // Discards the previous forecast, unless it was kept. Pods that kept forecasts placed on these nodes are placed
  // again.
  ForecastResult of(const Removal& removal);
  // True: of() leaves out no pod, in any order of evictions and with any draws. False: it may. Discards the previous
  // forecast as well.
  bool always_fits(std::span<const size_t> nodes, std::span<const size_t> pods);
  // Makes the last forecast, in which all pods have a node, the state on which later forecasts build.
  void commit();

  int64_t steps() const { return steps_; }  // tests whether a pod fits on a node

 private:
  // The properties of a bin that scores read.
  struct Shape {
    bool known = false;
    int zone = kNone;
    double cpu = 0, memory = 0;             // allocatable
    std::vector<std::pair<int, int>> pods;  // owner, its pods that ran there at first; by owner
  };
  // Small, because lists_ has one for each node of a class.
  struct Candidate {
    uint32_t bin = 0;
    int alike = 0;  // pods of the same controller
    int zone = kNone;
    int room = 0;  // score
  };
  // A node as a candidate for a class of pods, without the changes of forecasts that are not kept.
  struct Known {
    Candidate candidate;
    uint32_t since = 0;  // kept_ when it was tested; 0: it was not, or does not fit
  };
  // The nodes that a class of pods of a controller may fit on, as far as they were needed.
  struct List {
    std::vector<Known> nodes;
    size_t next = RowSet::kNone;  // the first that is not listed
  };
  void undo();
  std::vector<size_t> begin(std::span<const size_t> nodes, std::span<const size_t> pods);
  void list_launched();
  std::optional<model::Price> launch_for(const std::vector<size_t>& pods);
  std::vector<size_t> amid(std::vector<size_t> pods, Prng& draw) const;
  std::vector<size_t> place(std::vector<size_t> pods, Prng* draw);
  bool look_at(Candidate& candidate, const Ask& ask, int owner);
  void gather(const Ask& ask, int owner, bool later);
  void gather_listed(const Ask& ask, int owner, bool later);
  bool depends_on_one_node(const Ask& ask) const;
  void touch(size_t bin);
  bool place_one(size_t pod, Prng* draw);
  int room_score(size_t bin, const PodClass& c);
  void score_spread(int owner);
  size_t best(int owner, bool spread, Prng* draw);
  int zone(std::string_view name);
  void count(int owner, int zone, int pods);
  void count_pods_of(size_t node, int sign);
  int alike(size_t bin, int owner);
  const Shape& shape(size_t bin);

  State state_;
  Room room_;
  std::vector<RowSet> no_nodes_;  // by class
  std::vector<size_t> on_their_way_;
  std::map<std::string_view, int> owners_;  // UID of a controller that has a pod in the Problem → its number
  std::vector<int> owner_of_;               // by pod; kNone: it has no controller
  std::map<std::string, int, std::less<>> zones_;
  std::vector<std::vector<int>> in_zone_;         // by owner, zone: pods
  std::vector<std::array<int, 3>> zone_changes_;  // of the open forecast: owner, zone, pods
  std::vector<size_t> gone_;                      // nodes of the last forecast
  std::vector<char> is_gone_;                     // by node: of the last forecast, or of one that was kept
  // The lists hold results of earlier forecasts. A result is valid until a kept forecast changes its node.
  std::map<std::tuple<size_t, int, bool>, List> lists_;  // by class, owner, whether nodes may be ready later
  std::vector<uint32_t> changed_;              // by node: the number of the last kept forecast that changed it
  std::vector<uint32_t> touched_;              // by node: the number of the last forecast that changed it
  std::vector<size_t> touched_nodes_;          // by the last forecast
  uint32_t forecasts_ = 0, kept_ = 1;          // begun so far; kept so far, plus one
  std::vector<Shape> shapes_;                  // by bin
  std::vector<std::vector<size_t>> launched_;  // by pool: bins of new nodes
  std::vector<Candidate> candidates_;
  std::vector<int64_t> spread_scores_;  // by candidate
  std::vector<char> zones_seen_;        // of candidates
  Fit fit_;
  size_t cpu_ = 0, memory_ = 0;  // indexes of the resources
  size_t for_class_ = 0;         // of the candidates
  int for_owner_ = kNone;
  bool for_later_ = false;  // the candidates include nodes that are not ready yet
  bool amid_ = false;       // Removal::amid of the last forecast
  bool open_ = false;       // the last forecast was not kept
  int64_t steps_ = 0;
};

}  // namespace tenon::scheduling
