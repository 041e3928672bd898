// The course of a run, for pictures: a bounded number of points, whatever the run's length. Layer: program. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace strads {

/// Where a run was at a moment.
struct StatusPoint {
  std::uint64_t number = 0;  ///< of the change that brought it: grows from point to point, over all runs
  double seconds = 0;        ///< of solving
  std::uint64_t updates = 0;
  std::uint64_t rounds = 0;
  std::uint32_t phase = 0;
  double objective = 0;
  double gap = -1;  ///< relative, of the last barrier; negative: none is known
  std::uint64_t nonzeros = 0;
};

/// Keeps the first point and the last, and of those between an even selection by time: when there are `most`, every
/// second one goes, and from then on they have to be twice as far apart.
class PointHistory {
 public:
  /// Seconds between two points, at least: more of them nobody sees.
  static constexpr double kApart = 5e-3;

  /// REQUIRES: most >= 4.
  explicit PointHistory(std::size_t most) : most_(most) {}

  /// Seconds from which on a point is worth being told.
  [[nodiscard]] double next() const { return points_.empty() ? 0 : points_.back().seconds + apart_; }
  /// The newest point is always there; the next one takes its place where it is too close to the one before.
  void add(const StatusPoint& point) {
    const std::size_t count = points_.size();
    if (count >= 2 && points_[count - 1].seconds < points_[count - 2].seconds + apart_) {
      points_.back() = point;
    } else {
      points_.push_back(point);
    }
    if (points_.size() >= most_) thin();
  }
  [[nodiscard]] const std::vector<StatusPoint>& points() const { return points_; }

 private:
  void thin() {
    const StatusPoint last = points_.back();
    std::size_t kept = 0;
    for (std::size_t k = 0; k < points_.size(); k += 2) points_[kept++] = points_[k];
    points_.resize(kept);
    if (points_.back().number != last.number) points_.push_back(last);
    apart_ *= 2;
    const double even = (last.seconds - points_.front().seconds) / static_cast<double>(most_);
    if (apart_ < even) apart_ = even;
  }

  std::size_t most_;
  double apart_ = kApart;
  std::vector<StatusPoint> points_;
};

}  // namespace strads
