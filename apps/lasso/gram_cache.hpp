// Gram matrices of joint blocks, kept from phase to phase: consecutive working sets share most of their variables.
#pragma once

#include <mutex>
#include <span>
#include <vector>

#include "strads/chunks.hpp"
#include "strads/columns.hpp"
#include "strads/types.hpp"

namespace strads::lasso {

/// Remembers the last matrix that it was asked for. An entry is a pure function of its two columns, so that what is
/// remembered cannot change a result: it saves the products of pairs that were in the last block as well.
class GramCache {
 public:
  /// out (k x k, row-major) = x~_i'x~_j over `variables`, ascending. Adds the counted flops of what was computed.
  void gram(const StandardizedColumns& columns, std::span<const VarId> variables, std::vector<double>& out,
            Chunks& chunks, Cost& cost);
  /// Takes the matrix back for the next call. Cost: none, it is moved.
  void keep(std::span<const VarId> variables, std::vector<double> matrix);

 private:
  std::mutex mutex_;
  std::vector<VarId> variables_;  ///< ascending
  std::vector<double> matrix_;
};

}  // namespace strads::lasso
