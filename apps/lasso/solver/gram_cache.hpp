// Gram matrices of joint blocks, kept from phase to phase: consecutive working sets share most of their variables.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "strads/base/chunks.hpp"
#include "strads/base/types.hpp"
#include "strads/numerics/columns.hpp"

namespace strads::lasso {

/// Remembers the last matrix that it was asked for. An entry is a pure function of its two columns, so that what is
/// remembered cannot change a result: it saves the products of pairs that were in the last block as well.
class GramCache {
 public:
  /// out (k x k, row-major) = x~_i'x~_j over `variables`, ascending, in the memory of the last one if it is still here.
  /// Returns the flops that it took, which depend on what is remembered: in messages callers count what the block says
  /// instead (Phase::fresh).
  [[nodiscard]] std::uint64_t gram(const StandardizedColumns& columns, std::span<const VarId> variables,
                                   std::vector<double>& out, Chunks& chunks);
  /// Takes the matrix back for the next call. Cost: none, it is moved.
  void keep(std::span<const VarId> variables, std::vector<double> matrix);

 private:
  std::mutex mutex_;
  std::vector<VarId> variables_;  ///< ascending
  std::vector<double> matrix_;
};

/// Products of the pairs that ordinary rounds have met: their blocks change from round to round, their variables do
/// not. Thread-safe. As above, what is remembered cannot change a result.
class PairCache {
 public:
  /// out (k x k, row-major) = x~_i'x~_j over `variables`. Computes the rows that have an unknown entry, all threads.
  /// Returns the flops that it took.
  [[nodiscard]] std::uint64_t gram(const StandardizedColumns& columns, std::span<const VarId> variables,
                                   std::vector<double>& out, Chunks& chunks);

 private:
  [[nodiscard]] std::vector<bool> make_room(const StandardizedColumns& columns, std::span<const VarId> variables);
  void widen(std::size_t width);
  void remember(std::span<const VarId> variables, std::span<const std::size_t> fresh_at, const std::vector<double>& out,
                std::uint64_t generation);

  std::mutex mutex_;
  std::vector<std::uint32_t> place_of_;  ///< by variable; the largest number: none
  std::size_t places_ = 0;
  std::size_t width_ = 0;
  std::uint64_t generation_ = 0;  ///< rises when places are given anew
  std::vector<double> products_;  ///< width_ x width_; NaN: unknown
};

/// The heavy columns of sparse data, made ready once. Thread-safe; pure functions of the data, as above.
class HeavyCache {
 public:
  /// The heavy columns, where those among `variables` (ascending) hold at least half of all their entries and half of
  /// those of `variables`; else null. Cost: of the first call that of Heavy, then one look at each variable.
  [[nodiscard]] std::shared_ptr<const StandardizedColumns::Heavy> of_block(const StandardizedColumns& columns,
                                                                           std::span<const VarId> variables,
                                                                           Chunks& chunks);

 private:
  std::once_flag chosen_;
  std::vector<VarId> list_;
  std::uint64_t work_ = 0;  ///< flops of one dot with each of them
  std::mutex mutex_;
  std::shared_ptr<const StandardizedColumns::Heavy> heavy_;
};

/// What a node's workers remember.
struct BlockCaches {
  GramCache joint;
  PairCache ordinary;
  HeavyCache heavy;
};

}  // namespace strads::lasso
