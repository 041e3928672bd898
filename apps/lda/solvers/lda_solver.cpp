#include "lda/solvers/lda_solver.hpp"

#include <utility>

namespace strads::lda {

LdaSolver::LdaSolver(std::shared_ptr<const LdaData> data, const LdaOptions& options)
    : data_(std::move(data)), options_(options) {}

std::vector<Step> steps_of(Sampler sampler, std::uint32_t workers) {
  if (sampler == Sampler::delayed) return {{Work::words, 0}, {Work::documents, 0}};
  if (sampler == Sampler::stale) return {{Work::cells, 0}};
  std::vector<Step> steps;
  for (std::uint32_t turn = 0; turn < workers; ++turn) steps.push_back({Work::cells, turn});
  return steps;
}

}  // namespace strads::lda
