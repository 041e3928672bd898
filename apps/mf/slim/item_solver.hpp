// One item of SLIM: a non-negative elastic net, solved to its certificate. Private to apps/mf.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mf/slim/slim.hpp"

namespace strads::mf {

/// Work that was done, counted.
struct SolverCounts {
  std::uint64_t candidates = 0, active = 0, passes = 0, checks = 0;
  std::uint64_t flops = 0;      ///< of rows of G, one after the other
  std::uint64_t scattered = 0;  ///< of users and items here and there: co-counts, residuals, chains
};

/// min over w >= 0, w_j = 0 of F_j(w) = 1/2 ||a_j - A w||^2 + l2/2 ||w||^2 + l1 sum w. The answer depends on the pairs,
/// the options and j alone: whoever asks, and after whatever, gets the same bits.
///
/// Candidates are the items with G_ij > l1, G = A'A: G >= 0 and w >= 0 keep the gradient's part h_i = (G_j - G w)_i at
/// or below G_ij, so that no other item can leave 0. A first pass over them, with the residual over users, finds about
/// the right ones; coordinate descent on their part of G, made anew for each item, solves them; then h of every
/// candidate is computed from the residual, with the gap. G itself is held nowhere.
/// Not thread-safe: it has memory of its own, O(users + items).
class ItemSolver {
 public:
  /// All outlive the object.
  ItemSolver(const SlimData& data, const SlimScales& scales, const SlimOptions& options);

  /// `start`: weights to begin with, of other pairs or options; null: none. Then the answer depends on them as well,
  /// within its certificate.
  [[nodiscard]] ItemWeights solve(std::uint32_t item, const ItemWeights* start = nullptr);
  [[nodiscard]] const SolverCounts& counts() const { return counts_; }

 private:
  struct Candidate {
    std::uint32_t item = 0;
    double coupling = 0;   ///< G_ij
    double curvature = 0;  ///< G_ii
    double h = 0;
    double weight = 0;
    bool is_active = false;
  };
  struct Bounds {
    double objective = 0, gap = 0;
  };

  void find_candidates();
  void first_pass();
  void take(const ItemWeights& start);
  void activate(std::size_t candidate);
  void extend_gram(std::size_t known);
  void descend(double tolerance);
  void sweep_gram();
  void sweep_residual();
  /// To what a float holds of the weight as it is written.
  void round_weights();
  void make_residual();
  void clear_residual();
  void add_to_residual(std::uint32_t item, double factor);
  [[nodiscard]] double from_residual(std::uint32_t item);
  [[nodiscard]] double scale_of(const Candidate& candidate) const;
  template <class Each>
  [[nodiscard]] Bounds bounds(const Each& each) const;
  [[nodiscard]] double gap_of(const Candidate& candidate) const;

  const SlimData& data_;
  const SlimScales& scales_;
  const SlimOptions& options_;
  SolverCounts counts_;

  std::uint32_t item_ = 0;
  double half_norm_ = 0;               ///< 1/2 ||a_j||^2
  std::vector<double> couplings_;      ///< by item, zeros between two items
  std::vector<double> residual_;       ///< by user, times x_u^2; zeros between two items
  std::vector<Candidate> candidates_;  ///< ascending
  std::vector<std::uint32_t> active_;  ///< places in candidates_, in the order in which they came
  // Coordinate descent on the active ones, by place in active_.
  std::vector<std::vector<double>> gram_;
  std::vector<double> gradient_;
  // The active items of each user, as chains: links_[k] follows.
  struct Link {
    std::uint32_t next, place;
  };
  std::vector<std::uint32_t> heads_;  ///< by user, kEnd between two items
  std::vector<Link> links_;
};

}  // namespace strads::mf
