#include "mf/solvers/other_side.hpp"

#include <algorithm>

namespace strads::mf {
namespace {

/// Pieces of the Gram matrix: 16 of a thousand rows; where there are more rows, 64 of at least 512. Each has a matrix,
/// so that there are at most 16 where it is large: 64 of rank 256 take 32 MiB.
constexpr std::size_t kRowsOfPiece = 1024, kPiecesOfMany = 16, kRowsOfShortPiece = 512, kPiecesMax = 64,
                      kManyUpToRank = 256;

std::size_t pieces_of(std::size_t rows, std::uint32_t rank) {
  const std::size_t pieces = std::clamp<std::size_t>((rows + kRowsOfPiece - 1) / kRowsOfPiece, 1, kPiecesOfMany);
  if (pieces < kPiecesOfMany || rank > kManyUpToRank) return pieces;
  return std::clamp<std::size_t>(rows / kRowsOfShortPiece, kPiecesOfMany, kPiecesMax);
}

/// Floats behind the last record that blocks of coordinates read.
constexpr std::size_t kReadBehind = 16;

/// Strips of the matrix in which pieces are added.
constexpr std::size_t kStrips = 16;

}  // namespace

void SharedStage::run(const std::function<void(std::size_t)>& work) {
  const auto finish = [&](std::size_t at, std::unique_lock<std::mutex>& lock) {
    if (!lock.owns_lock() || pieces_[at].is_done) return;
    work(at);
    pieces_[at].is_done = true;
  };
  for (std::size_t at = 0; at < pieces_.size(); ++at) {
    std::unique_lock lock(pieces_[at].mutex, std::try_to_lock);
    finish(at, lock);
  }
  for (std::size_t at = 0; at < pieces_.size(); ++at) {
    std::unique_lock lock(pieces_[at].mutex);  // waits for whoever works at it
    finish(at, lock);
  }
}

OtherSide::OtherSide(const MfSolver& solver, const Partition& partition, const MfState& state, Side side,
                     const ImplicitProblem& problem)
    : rows_(partition.of(side)),
      rank_(problem.rank),
      width_(problem.way == ImplicitWay::blocks ? std::min(problem.width, problem.rank) : 0),
      pages_(solver, partition, state, side),
      pieces_(pieces_of(rows_.slots.size(), rank_)),
      grams_(pieces_),
      turned_pages_(rows_.pages.size()),
      table_(turned_pages_.size()),
      sums_(pieces_),
      adding_(kStrips),
      decomposition_(1),
      forming_(width_ == 0 ? 2 : 0),
      rotating_(width_ == 0 ? basis_strips(rank_) : 0),
      finishing_(1),
      turning_(turned_pages_.size()) {}

void OtherSide::prepare() {
  sums_.run([this](std::size_t piece) { add_piece(piece); });
  adding_.run([this](std::size_t strip) { add_strip(strip); });
  decomposition_.run([this](std::size_t) { finish_gram(); });
  forming_.run([this](std::size_t part) { part == 0 ? form_basis(basis_) : rotate_basis(basis_); });
  rotating_.run([this](std::size_t strip) { turn_strip(basis_, strip); });
  finishing_.run([this](std::size_t) { finish_basis(); });
  turning_.run([this](std::size_t page) { turn_page(page); });
}

void OtherSide::add_piece(std::size_t piece) {
  const std::size_t rows = rows_.slots.size(), size = implicit_size(rank_);
  std::vector<const float*> records;
  for (std::size_t row = rows * piece / pieces_; row < rows * (piece + 1) / pieces_; ++row) {
    records.push_back(pages_.view().record(rows_.slots[row]));
  }
  grams_[piece].assign(size * size, 0.0);
  add_to_gram(records, rank_, grams_[piece]);
}

void OtherSide::add_strip(std::size_t strip) {
  const std::size_t size = implicit_size(rank_);
  const std::size_t first = size * strip / kStrips * size, last = size * (strip + 1) / kStrips * size;
  double* const sum = grams_[0].data();
  for (std::size_t piece = 1; piece < pieces_; ++piece) {
    const double* const more = grams_[piece].data();
    for (std::size_t k = first; k < last; ++k) sum[k] += more[k];
  }
}

void OtherSide::finish_gram() {
  if (width_ == 0) {
    basis_ = begin_basis(grams_[0], rank_);
  } else {
    basis_.basis = block_basis_of(grams_[0], rank_, width_);
  }
  grams_.clear();
  columns_ = FactorPages{table_.data(), rows_.shift, implicit_size(rank_)};
}

/// What only the making needed is given back.
void OtherSide::finish_basis() {
  basis_.reflections = {};
  basis_.rotations = {};
}

void OtherSide::turn_page(std::size_t page) {
  const std::size_t rows = rows_.pages[page].size(), stride = pages_.view().stride;
  const float* const records = pages_.view().pages[page];
  auto& own = turned_pages_[page];
  own.resize(rows * implicit_size(rank_) + kReadBehind);
  table_[page] = own.data();
  if (width_ == 0) {
    turn_records(basis_.basis, rank_, records, rows, stride, own.data());
  } else {
    turn_blocks(basis_.basis, rank_, width_, records, rows, stride, own.data());
  }
}

bool is_released(const Partition& partition, const MfState& state, Side side, std::size_t stride) {
  const SidePartition& own = partition.of(side);
  for (std::size_t page = 0; page < own.pages.size(); ++page) {
    if (state.of(side).held[page]->floats().size() < own.pages[page].size() * stride) return true;
  }
  return false;
}

}  // namespace strads::mf
