// replica(v) of a factorization: tables of pages that versions share.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "mf/problem/mf.hpp"
#include "mf/problem/payloads.hpp"
#include "strads/engine/model.hpp"

namespace strads::mf {

/// What the versions that have a page share. The commit that replaces a page gives its floats back although older
/// versions are still there: in its phase nobody but the block that the commit answers reads it. Thread-safe.
class Page {
 public:
  explicit Page(SharedFloats floats, bool is_blank = false) : is_blank_(is_blank), floats_(std::move(floats)) {}
  /// No commit has set it: its zeros are those of the longest page, and all pages of its side may share them.
  [[nodiscard]] bool is_blank() const { return is_blank_; }
  /// Empty after release().
  [[nodiscard]] SharedFloats floats() const {
    const std::lock_guard lock(mutex_);
    return floats_;
  }
  void release() {
    SharedFloats released;  // freed after the lock is
    const std::lock_guard lock(mutex_);
    std::swap(released, floats_);
  }

 private:
  bool is_blank_;
  mutable std::mutex mutex_;
  SharedFloats floats_;
};

/// sgd: a sweep under way. What it has met says nothing about F before every rating was met.
struct SweepSoFar {
  double error = 0;  ///< squared errors met
  std::uint64_t cells = 0;
  std::vector<double> penalties[kSides];  ///< by page, of those that are done for this sweep; else of the sweep before
};

/// What becomes of a page that a commit replaces.
enum class Replaced : std::uint8_t { kept, released };

/// The records of one side. cd, als, sgd: one page a block, row-major. ccd: one page a feature and block, single
/// floats: page feature x pages + block; the bias is feature `rank`.
struct Pages {
  std::vector<std::shared_ptr<Page>> held;
  std::vector<const float*> table;  ///< what `held` points to, or pointed to before it was released

  /// Of a table without pages.
  void resize(std::size_t pages) {
    held.resize(pages);
    table.assign(pages, nullptr);
  }
  /// Returns what was there. Different pages may be set at the same time.
  std::shared_ptr<Page> set(std::size_t page, SharedFloats floats) {
    table[page] = floats.data();
    return std::exchange(held[page], std::make_shared<Page>(std::move(floats)));
  }
  /// `zeros`: of all blank pages.
  void set_blank(std::size_t page, SharedFloats zeros) {
    table[page] = zeros.data();
    held[page] = std::make_shared<Page>(std::move(zeros), true);
  }
  void replace(std::size_t page, SharedFloats floats, Replaced replaced) {
    const auto before = set(page, std::move(floats));
    if (replaced == Replaced::released) before->release();
  }
  /// The same floats in pages that nobody else releases.
  [[nodiscard]] Pages apart() const;
};

class MfState final : public State {
 public:
  [[nodiscard]] std::unique_ptr<State> clone() const override;
  /// Its form: mf_content.cpp. MfModel::restore_state() reads it. Of a version that a later one has replaced: without
  /// the pages that were given back.
  [[nodiscard]] Payload content() const override;

  [[nodiscard]] const Pages& of(Side side) const { return pages[mf::index_of(side)]; }
  [[nodiscard]] Pages& of(Side side) { return pages[mf::index_of(side)]; }
  /// F of this version.
  [[nodiscard]] double objective(double lambda) const;
  [[nodiscard]] std::size_t sums() const { return weights.size() + 1; }
  /// penalties_of() of one page: rank + 1 sums.
  [[nodiscard]] std::span<const double> penalties_of_page(Side side, std::size_t page) const {
    return std::span(penalties[mf::index_of(side)]).subspan(page * sums(), sums());
  }
  void set_penalties(Side side, std::size_t page, std::span<const double> of_page);
  /// Summed over the pages in order, without weights.
  [[nodiscard]] std::vector<double> penalty_sums(Side side) const;

  Pages pages[kSides];
  Pages start[kSides];                    ///< ccd: as they were when the sweep began (`kept`: `pages`); else empty
  std::vector<double> weights;            ///< of the users' penalties, `rank`; those of the items are their inverses
  std::vector<double> penalties[kSides];  ///< by page
  double error = 0;                       ///< sum of squared training errors; cell: met in the last finished sweep
  SweepSoFar so_far;                      ///< cell
  double swept = -1;                      ///< cell: objective of the last finished sweep; -1: none
  Fault fault = Fault::none;
  std::optional<std::uint64_t> phase;  ///< Plan::first of the phase that changed this replica last
  double fresh_error = 0;              ///< the training errors of the pages that this phase has updated
  std::uint64_t fresh_pages = 0;
  Evaluation evaluation;
  double best_validation = -1;          ///< least sum of squared validation errors so far; -1: none
  bool is_best = false;                 ///< these factors have it
  std::shared_ptr<const MfState> kept;  ///< the best factors, when it is not these
  bool verified = false;                ///< slices report the factors
};

/// lambda-free penalty with the weights of a side; `sums`: rank + 1.
[[nodiscard]] double weighted_penalty(std::span<const double> sums, std::span<const double> weights, Side side);

}  // namespace strads::mf
