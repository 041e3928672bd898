#include "mf/solvers/implicit_fold_in.hpp"

#include <algorithm>
#include <vector>

#include "mf/solvers/implicit_solver.hpp"
#include "strads/numerics/implicit.hpp"

namespace strads::mf {
namespace {

/// Users and items of one piece of work: cut by number, so that threads change nothing.
constexpr std::size_t kImplicitUsersAtOnce = 256, kImplicitItemsAtOnce = 4096;

}  // namespace

void fold_in_implicit(const MfOptions& options, std::span<const std::uint64_t> begins,
                      std::span<const std::uint32_t> items, std::span<const float> confidences,
                      std::span<const float> factors, std::span<float> users, Chunks& chunks) {
  const std::uint32_t rank = options.rank;
  const std::size_t size = implicit_size(rank), stride = record_stride(rank);
  const std::size_t count = factors.size() / rank, all = begins.size() - 1;
  MfOptions exact = options;
  exact.solver = Solver::als;
  const ImplicitProblem problem = implicit_problem(exact, count);

  std::vector<double> gram(size * size);
  std::vector<const float*> records;
  for (std::size_t begin = 0; begin < count; begin += kImplicitItemsAtOnce) {
    records.clear();
    for (std::size_t item = begin; item < std::min(count, begin + kImplicitItemsAtOnce); ++item) {
      records.push_back(factors.data() + item * rank);
    }
    add_to_gram(records, rank, gram);
  }
  const ImplicitBasis basis = basis_of(gram, rank);
  std::vector<float> turned(count * size);
  turn_records(basis, rank, factors.data(), count, rank, turned.data());

  constexpr std::uint32_t kOnePage = 31;  // a slot is the item itself
  const float* const page = turned.data();
  const FactorPages columns{&page, kOnePage, size};
  chunks.for_each((all + kImplicitUsersAtOnce - 1) / kImplicitUsersAtOnce, [&](std::size_t piece) {
    const std::size_t begin = piece * kImplicitUsersAtOnce, end = std::min(all, begin + kImplicitUsersAtOnce);
    RatingRows rows;
    rows.begins = begins.subspan(begin, end - begin + 1);
    rows.slots = items;
    rows.values = confidences;
    std::vector<float> before((end - begin) * stride), after((end - begin) * stride);
    RowSums sums;
    update_implicit_rows(rows, columns, basis, problem, before.data(), after.data(), sums);
    for (std::size_t user = begin; user < end; ++user) {
      std::copy_n(after.begin() + static_cast<std::ptrdiff_t>((user - begin) * stride), rank,
                  users.begin() + static_cast<std::ptrdiff_t>(user * rank));
    }
  });
}

}  // namespace strads::mf
