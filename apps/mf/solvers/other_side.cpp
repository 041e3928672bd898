#include "mf/solvers/other_side.hpp"

#include <algorithm>

namespace strads::mf {
namespace {

/// Pieces of the Gram matrix: rows of at least so many, and not more pieces than this, since each has a matrix.
constexpr std::size_t kRowsOfPiece = 1024, kPiecesMax = 16;

std::size_t pieces_of(std::size_t rows) {
  return std::clamp<std::size_t>((rows + kRowsOfPiece - 1) / kRowsOfPiece, 1, kPiecesMax);
}

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
                     std::uint32_t rank, bool turned)
    : rows_(partition.of(side)),
      rank_(rank),
      turned_(turned),
      pages_(solver, partition, state, side),
      pieces_(pieces_of(rows_.slots.size())),
      grams_(pieces_),
      turned_pages_(turned ? rows_.pages.size() : 0),
      table_(turned_pages_.size()),
      sums_(pieces_),
      decomposition_(1),
      turning_(turned_pages_.size()) {}

void OtherSide::prepare() {
  sums_.run([this](std::size_t piece) { add_piece(piece); });
  decomposition_.run([this](std::size_t) { finish_gram(); });
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

void OtherSide::finish_gram() {
  std::vector<double> sum = std::move(grams_[0]);
  for (std::size_t piece = 1; piece < pieces_; ++piece) {
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += grams_[piece][k];
  }
  grams_.clear();
  basis_ = basis_of(sum, rank_, turned_);
  columns_ = turned_ ? FactorPages{table_.data(), rows_.shift, implicit_size(rank_)} : pages_.view();
}

void OtherSide::turn_page(std::size_t page) {
  const std::size_t rows = rows_.pages[page].size();
  turned_pages_[page].resize(rows * implicit_size(rank_));
  table_[page] = turned_pages_[page].data();
  turn_records(basis_, rank_, pages_.view().pages[page], rows, pages_.view().stride, turned_pages_[page].data());
}

bool is_released(const Partition& partition, const MfState& state, Side side, std::size_t stride) {
  const SidePartition& own = partition.of(side);
  for (std::size_t page = 0; page < own.pages.size(); ++page) {
    if (state.of(side).held[page]->floats().size() < own.pages[page].size() * stride) return true;
  }
  return false;
}

}  // namespace strads::mf
