// ccd: one feature of one side after the other, with the residuals that workers keep. Private to apps/mf. Pure.
#pragma once

#include <memory>
#include <vector>

#include "mf/solvers/mf_solver.hpp"
#include "mf/solvers/residuals.hpp"

namespace strads::mf {

/// Its pages hold single features: page feature x pages + block of a side; the bias is feature `rank`.
class FeatureSolver final : public MfSolver {
 public:
  explicit FeatureSolver(const MfOptions& options);

  [[nodiscard]] std::vector<Step> steps(std::uint32_t schedulers, std::uint32_t workers) const override;
  void sort_ratings(const Triplets& train, std::span<const std::uint32_t> workers, Chunks& chunks, Triplets* spent,
                    WorkerRatings& to) const override;
  void start(MfState& state, Side side, Chunks& chunks) const override;
  [[nodiscard]] SharedFloats records(const MfState& state, Side side, std::uint32_t page) const override {
    return row_major(state, side, page);
  }
  [[nodiscard]] std::size_t page_floats(Side side, std::size_t page) const override {
    return rows_of(side, page % page_count(side)).size();
  }
  [[nodiscard]] SharedFloats row_major(const MfState& state, Side side, std::uint32_t page) const override;
  [[nodiscard]] Push push(const MfState& base, std::span<const double> plan, std::uint32_t page,
                          const WorkerRatings& ratings) const override;
  [[nodiscard]] std::vector<std::size_t> arrays(std::span<const double> plan, std::uint32_t page,
                                                std::uint32_t of_items) const override;
  void begin_sweep(MfState& state) const override;
  void fold(MfState& state, std::span<const double> plan, std::span<const double> entry,
            std::span<const SharedFloats> arrays, Replaced replaced) const override;

 private:
  void placed() override;
  [[nodiscard]] FeaturePlace at(std::uint32_t place) const { return feature_at(place, options().rank, options().bias); }

  std::unique_ptr<Residuals> residuals_;
};

}  // namespace strads::mf
