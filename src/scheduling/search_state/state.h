// State: a plan under construction. Bins are existing nodes or nodes to launch. A pod is placed in a bin only if every
// rule holds for every row that the bin leaves open, so a State is valid at any time.
//
//   State s(problem);
//   Fit fit;
//   if (s.fits(bin, ask, fit) == Verdict::kFits) s.place(bin, ask, pod, fit);
//
// A State can be restored: begin(), changes, undo(). The cost depends on what has changed, not on the size of the
// State.
//
// Value type; not thread-safe.
// By task: state.cc places pods, state_fits.cc checks what fits, state_rules.cc has the topology rules, state_rows.cc
// chooses rows, and state_undo.cc reverts changes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "scheduling/compile/problem.h"

namespace tenon::scheduling {

// kNever: no later change of this bin or of others can make the pod fit.
enum class Verdict { kFits, kNever, kNotNow };

struct Ask {
  size_t pod_class = 0, form = 0;
  // By topology key: the domain that an earlier plan chose, or kNone if no rule of the pod uses the key. The counts by
  // domain are then not checked, unless `check` is set. Null: choose now.
  const std::vector<int>* domains = nullptr;
  bool check = false;
  int variant = kNone;           // of the form, on new nodes; kNone: the first that fits
  const RowSet* side = nullptr;  // the cheapest of these rows decides a new node's sides; null: of all (take_sides)
  int count = 1;                 // of such pods, all in the same bin
};

struct Placed {
  uint32_t pod = 0, pod_class = 0, form = 0, variant = 0;
};

using Narrowed = std::shared_ptr<const model::Requirements>;

// Host ports and volumes of a node's pods; empty on most nodes.
struct PortsAndVolumes {
  std::vector<model::HostPort> ports;
  std::map<std::string, int> volume_room;
  std::set<std::string> volumes;
};

struct Bin {
  int node = kNone, pool = kNone;  // one of them
  Amounts used;                    // by the pods placed here
  std::vector<Placed> placed;
  RowSet rows;                  // that may still be launched and have room
  Narrowed narrowed;            // labels that rows do not decide, and zones by sides; null: as in the pool
  std::vector<int> domains;     // by topology key; kNone: open, or the node has none
  std::vector<HostCount> host;  // few
  Shared<PortsAndVolumes> held;
  size_t row = RowSet::kNone;   // the cheapest that may be launched
  int reservation = kNone;      // held for that row
  bool launched = false;        // as `row`, which no longer changes
  Amounts charge;               // against the pool's limits
  std::vector<int> min_values;  // by PoolProblem::min_values: values that this node keeps open; set by its first pod

  bool fresh() const { return pool != kNone; }
  HostCount host_count(size_t group) const;
};

// The change that placing a pod makes to a bin. Callers reuse it between calls to avoid allocations.
struct Fit {
  size_t variant = 0;
  RowSet rows;
  Narrowed narrowed;
  std::vector<int> domains;
  size_t row = RowSet::kNone;
  int reservation = kNone;
  Amounts charge;
  std::vector<int> min_values;
  Amounts sum;  // requests, with the pod's
};

class State {
 public:
  explicit State(const Problem& problem);

  const Problem& problem() const { return *problem_; }
  const std::vector<Bin>& bins() const { return bins_; }  // existing nodes first
  int bin_of(size_t pod) const { return bin_of_[pod]; }

  Verdict fits(size_t bin, const Ask& ask, Fit& fit) const;
  // Like fits(), for a node that is not open yet.
  Verdict fits_new(size_t pool, const Ask& ask, Fit& fit) const;
  // The same, but ignores the limit of the cluster's nodes.
  Verdict fits_one_more(size_t pool, const Ask& ask, Fit& fit) const { return fits_bin(blank_[pool], ask, fit); }
  // Returns an upper bound of how many such pods the bin accepts now, between 1 and `limit`. Rules by zone may allow
  // fewer.
  int room(size_t bin, const Ask& ask, int limit) const { return room_in(bins_[bin], ask, limit); }
  int room_new(size_t pool, const Ask& ask, int limit) const { return room_in(blank_[pool], ask, limit); }
  // Places these pods; there are as many as in the ask for which fits() returned kFits.
  void place(size_t bin, const Ask& ask, std::span<const size_t> pods, const Fit& fit);
  void place(size_t bin, const Ask& ask, size_t pod, const Fit& fit) { place(bin, ask, {&pod, 1}, fit); }
  size_t open(size_t pool);
  // Returns true if the pool could launch a node for such a pod if there were no other pods. Ignores topology rules.
  bool could_launch(size_t pool, size_t pod_class) const;
  // If on, new nodes are chosen to leave most of the limits; otherwise they are the cheapest within the limits.
  void spare_limits(bool on) { sparing_ = on; }
  // Fixes this new node to this row: it has been launched, and later pods do not change its type.
  void launch(size_t bin, size_t row);
  // Chooses the cheapest row of each new node again, until none becomes cheaper: limits and reservations that other
  // nodes have released since may allow a cheaper one.
  void rechoose_rows();

  // Records all changes from here on, until commit() or undo().
  void begin();
  void commit();
  void undo();
  // Removes an existing node and all pods that run there from all counts. The pods that were placed on it have no place
  // now. Its bin must not be used again.
  void remove_node(size_t node);
  // Adds (sign 1) or subtracts (-1) amounts from what is left of a pool's limits.
  void change_left(size_t pool, const Amounts& charge, int sign);
  // Restricts nodes that are opened later in the pool to rows below this price; std::nullopt: all rows.
  void offer_below(size_t pool, std::optional<model::Price> price);

  model::Price price(const Bin& bin) const {
    return problem_->pools[static_cast<size_t>(bin.pool)].rows[bin.row].price;
  }
  model::Price price() const;
  size_t fresh_bins() const;

  // For explanations.
  int64_t nodes_left() const { return nodes_left_; }
  const Amounts& left(size_t pool) const { return left_[pool]; }
  int domain_count(size_t group, size_t domain) const { return counts_.matched[group][domain]; }
  // Returns the topology rule that keeps such a pod off every new node of the pool; null if no single rule does.
  const Group* blocking_group(size_t pool, const Ask& ask) const;

 private:
  struct Counts {
    std::vector<std::vector<int>> matched, owners;  // by group, domain
    std::vector<int> total;                         // by group
  };
  // The state before the changes, for undo().
  struct Journal {
    struct Count {
      size_t group;
      int domain, matched, owners;  // kNone: of the total
    };
    bool on = false;
    size_t bins = 0;                            // their number at begin()
    std::vector<std::pair<size_t, Bin>> known;  // bins before their first change
    std::vector<char> saved;                    // by bin: it is in `known`
    std::vector<std::pair<size_t, int>> pods;   // and the bins that they were in
    std::vector<Count> counts;
    std::vector<Amounts> left;
    std::vector<int> reservations;
    int64_t nodes_left = 0;
  };

  Verdict fits_bin(const Bin& bin, const Ask& ask, Fit& fit) const;
  Verdict fits_node(const Bin& bin, const Ask& ask, Fit& fit) const;
  Verdict fits_variant(const Bin& bin, const Ask& ask, size_t variant, Fit& fit) const;
  int room_in(const Bin& bin, const Ask& ask, int limit) const;
  Verdict settled_domains(const Bin& bin, const Ask& ask) const;
  bool known_shape(const Bin& bin, const Ask& ask, size_t variant) const;
  bool narrow(const Bin& bin, const Ask& ask, const Variant& variant, Fit& fit) const;
  bool drop_full_rows(const Bin& bin, const PodClass& c, int count, Fit& fit) const;
  Verdict settle(const Bin& bin, const Ask& ask, size_t first, Fit& fit) const;
  std::vector<int> domains_by_rank(const Bin& bin, std::span<const std::pair<int, GroupUse>> uses, int count,
                                   const Fit& fit) const;
  bool move_to(const Bin& bin, int key, int domain, Fit& fit) const;
  bool take_sides(const Bin& bin, const Ask& ask, Fit& fit) const;
  static void keep_side(const PoolProblem& pool, const RowSet& counted_rows, size_t row, Fit& fit);
  bool choose_row(const Bin& bin, Fit& fit) const;
  static double share_of_limits(const PoolProblem& pool, const TypeProblem& type);
  void charge_row(Bin& bin, const Fit& fit);
  bool keep_reserved(const PoolProblem& pool, const Bin& bin, Fit& fit) const;
  bool reach_min_values(const PoolProblem& pool, const Bin& bin, Fit& fit) const;
  bool show_values(const PoolProblem& pool, const Bin& bin, int reservation, bool lower, Fit& fit) const;
  bool within_limits(const PoolProblem& pool, const Bin& bin, const Amounts& charge) const;
  bool reservation_allows(const Bin& bin, const Row& row) const;
  Verdict host_rules(const Bin& bin, const Form& form, int count) const;
  bool domain_allowed(const GroupUse& use, int domain, int count) const;
  bool may_join(const Bin& bin, const GroupUse& use, int domain, int count, const RowSet& rows) const;
  bool may_be_new(size_t group, int count) const;
  int spread_count(std::span<const std::pair<int, GroupUse>> uses, int domain) const;
  bool counts_bin(const Group& group, const Bin& bin) const;
  void count(const Bin& bin, const Placed& placed, int pods);
  void add(size_t group, int domain, int matched, int owners);
  void add_total(size_t group, int matched);
  void save_bin(size_t bin);
  void save_pod(size_t pod) {
    if (journal_.on) journal_.pods.emplace_back(pod, bin_of_[pod]);
  }

  const Problem* problem_;
  std::vector<Bin> bins_;
  std::vector<int> bin_of_;
  Counts counts_;
  std::vector<Amounts> left_;      // limits, by pool
  std::vector<int> reservations_;  // instances left
  int64_t nodes_left_;             // nodes that may still be launched
  std::vector<Bin> blank_;         // by pool: an empty new node
  std::vector<Bin> spare_;         // bins that undo() has removed; open() reuses their memory
  Journal journal_;
  bool sparing_ = false;  // spare_limits()
};

}  // namespace tenon::scheduling
