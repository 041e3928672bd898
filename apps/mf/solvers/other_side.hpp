// Implicit feedback: what all blocks of a phase read of the other side, computed once a phase on each node by those who
// need it. Private to apps/mf. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "mf/solvers/mf_solver.hpp"
#include "strads/numerics/implicit.hpp"

namespace strads::mf {

/// Pieces of work: whoever comes takes those that nobody works at, and goes on when all are done. Thread-safe.
class SharedStage {
 public:
  explicit SharedStage(std::size_t pieces) : pieces_(pieces) {}
  void run(const std::function<void(std::size_t)>& work);

 private:
  struct Piece {
    std::mutex mutex;  ///< held while it is worked at
    bool is_done = false;
  };
  std::vector<Piece> pieces_;
};

/// The other side of one phase. Its rows do not change meanwhile: whichever version a block is computed from, they are
/// these.
class OtherSide {
 public:
  /// `problem`: of those who read it.
  OtherSide(const MfSolver& solver, const Partition& partition, const MfState& state, Side side,
            const ImplicitProblem& problem);
  OtherSide(const OtherSide&) = delete;
  OtherSide& operator=(const OtherSide&) = delete;

  /// Takes part in what is still to be done; returns when all is. The Gram matrix is summed in pieces that are cut by
  /// the rows' numbers alone, and these in order, strip of the matrix by strip: the same bits for any threads, workers
  /// and processes.
  void prepare();
  /// REQUIRES: prepare() has returned.
  [[nodiscard]] const ImplicitBasis& basis() const { return basis_.basis; }
  [[nodiscard]] const FactorPages& columns() const { return columns_; }

 private:
  void add_piece(std::size_t piece);
  void add_strip(std::size_t strip);
  void finish_gram();
  void finish_basis();
  void turn_page(std::size_t page);

  const SidePartition& rows_;
  std::uint32_t rank_;
  std::uint32_t width_;  ///< of blocks that have a basis each; 0: all factors have one
  SidePages pages_;
  std::size_t pieces_;
  std::vector<std::vector<double>> grams_;  ///< by piece
  BasisWork basis_;
  std::vector<std::vector<float>> turned_pages_;
  std::vector<const float*> table_;
  FactorPages columns_;
  SharedStage sums_, adding_, decomposition_, forming_, rotating_, finishing_, turning_;
};

/// Whether a later version has given back a page of this side: then nobody waits for what is computed from it.
[[nodiscard]] bool is_released(const Partition& partition, const MfState& state, Side side, std::size_t stride);

}  // namespace strads::mf
