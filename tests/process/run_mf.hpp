// Starts the real program `mf` on small ratings with a known structure.
#pragma once

#include <cmath>
#include <set>
#include <utility>

#include "small_data.hpp"

namespace strads::test {

inline std::vector<std::string> mf_command(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), std::string(STRADS_BIN_DIR) + "/mf");
  return arguments;
}

/// Runs `mf` to its end.
inline Ended mf(std::vector<std::string> arguments) {
  return Process(mf_command(std::move(arguments))).wait();
}

/// One of `users` x `items` ratings: u0 ... rate i0 ... with half stars, each pair once.
struct Rating {
  int user, item;
  double value;
};

inline std::vector<Rating> made_up_ratings(int users, int items, int count, std::uint64_t seed = 1) {
  Numbers numbers(seed);
  std::vector<Rating> ratings;
  std::set<std::pair<int, int>> seen;
  while (static_cast<int>(ratings.size()) < count) {
    const int left = static_cast<int>(ratings.size());
    // Everybody and everything once, then the first items more often.
    const int user = left < users ? left : static_cast<int>(numbers.next() * users);
    const int item = left < items ? left : static_cast<int>(numbers.next() * numbers.next() * items);
    if (!seen.emplace(user, item).second) continue;
    const double taste = std::sin(1.7 * user) * std::cos(2.3 * item) + 0.5 * std::sin(user + 2.0 * item);
    const double value = 3.2 + 0.5 * std::sin(3.0 * user) + 0.6 * std::cos(5.0 * item) + taste + 0.4 * numbers.bell();
    ratings.push_back({user, item, std::min(5.0, std::max(0.5, std::round(2 * value) / 2))});
  }
  return ratings;
}

/// "u3<separator>i5<separator>3.5" lines under a header.
inline std::string ratings_text(const std::vector<Rating>& ratings, const std::string& separator = ",") {
  std::ostringstream out;
  out << "user" << separator << "item" << separator << "rating\n";
  for (const auto& rating : ratings) {
    out << "u" << rating.user << separator << "i" << rating.item << separator << rating.value << "\n";
  }
  return out.str();
}

/// 900 ratings of 60 users and 40 items in ratings.csv.
class MfFixture : public testing::Test {
 protected:
  MfFixture() { ratings_ = folder_.write("ratings.csv", ratings_text(made_up_ratings(60, 40, 900))); }
  [[nodiscard]] std::vector<std::string> fit_command(std::vector<std::string> more) const {
    std::vector<std::string> arguments = {"fit", "--ratings", ratings_, "--rank", "4"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return mf_command(arguments);
  }
  Ended fit(std::vector<std::string> more) { return Process(fit_command(std::move(more))).wait(); }
  /// Fits into a run directory; the summary.
  std::string summary_of(std::vector<std::string> more, const std::string& run) {
    more.insert(more.end(), {"--out", folder_.path(run)});
    const auto ended = fit(more);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return folder_.read(run + "/summary.json");
  }
  std::string hash_of(std::vector<std::string> more, const std::string& run) {
    return json_field(summary_of(std::move(more), run), "model_hash");
  }
  Folder folder_;
  std::string ratings_;
};

}  // namespace strads::test
