#include "data/filters/hardy_weinberg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace strads::data {

namespace {

// Tables whose probabilities are the same number come out of different products: they are ties up to this share.
constexpr double kTie = 1e-9;
// Terms below this share of the sum do not change it.
constexpr double kVanishes = 1e-18;
constexpr double kOverflows = 1e280;

// Probability of the table with two more hets, one homozygote less of each kind, by that of this one. 0: there is none.
double ratio_up(double hets, double hom_a, double hom_b) {
  return 4 * hom_a * hom_b / ((hets + 2) * (hets + 1));
}

// The same with two hets less.
double ratio_down(double hets, double hom_a, double hom_b) {
  return hets * (hets - 1) / (4 * (hom_a + 1) * (hom_b + 1));
}

// Sums over tables by how probable they are beside the one that was observed.
struct Sums {
  double all = 0;
  double tail = 0;  // no more probable than the observed one

  void add(double share) {
    all += share;
    if (share <= 1 + kTie) tail += share;
  }
};

// Adds all tables to one side of a table, which is left out. Probabilities rise to one peak and fall behind it.
template <class Next>
void add_side(double share, Next&& next, Sums& sums) {
  for (double ratio = next(); ratio > 0 && sums.all < kOverflows; ratio = next()) {
    share *= ratio;
    sums.add(share);
    if (ratio < 1 && share < kVanishes * sums.tail) return;
  }
}

// Both sides of a table of females whose share is `share`, itself included.
void add_row(double hets, double hom_a, double hom_b, double share, Sums& sums) {
  sums.add(share);
  double h = hets, a = hom_a, b = hom_b;
  add_side(
      share,
      [&] {
        const double ratio = ratio_up(h, a, b);
        h += 2, a -= 1, b -= 1;
        return ratio;
      },
      sums);
  h = hets, a = hom_a, b = hom_b;
  add_side(
      share,
      [&] {
        const double ratio = ratio_down(h, a, b);
        h -= 2, a += 1, b += 1;
        return ratio;
      },
      sums);
}

// log(n!), by a table and by Stirling's series, whose error is below 1e-16 of it: std::lgamma writes a global variable.
double log_factorial(double n) {
  static const auto kFactorials = [] {
    std::array<double, 32> out{};
    for (std::size_t k = 2; k < out.size(); ++k) out[k] = out[k - 1] + std::log(static_cast<double>(k));
    return out;
  }();
  if (n < static_cast<double>(kFactorials.size())) return kFactorials[static_cast<std::size_t>(n)];
  const double square = n * n;
  return (n + 0.5) * std::log(n) - n + 0.5 * std::log(2 * std::numbers::pi) +
         (1.0 / 12 - (1.0 / 360 - 1.0 / (1260 * square)) / square) / n;
}

// log of the probability of a table of chromosome X, given its allele counts and the numbers of both sexes.
double log_probability(double hets, double hom_a, double hom_b, double male_a, double male_b) {
  const double females = hets + hom_a + hom_b, males = male_a + male_b;
  const double a = 2 * hom_a + hets + male_a, b = 2 * hom_b + hets + male_b;
  return log_factorial(males) + log_factorial(females) + log_factorial(a) + log_factorial(b) +
         hets * std::numbers::ln2 - log_factorial(male_a) - log_factorial(male_b) - log_factorial(hom_a) -
         log_factorial(hets) - log_factorial(hom_b) - log_factorial(a + b);
}

// A table of both sexes on its way through the numbers of males with A, and its share of the observed one's
// probability.
struct SexTable {
  double hets, hom_a, hom_b, male_a, male_b, share;

  // One A of a female against the B of a male. Returns false iff there is no such table.
  bool male_gains_a() {
    if (male_b < 1 || hets + hom_a < 1) return false;
    const double males = male_b / (male_a + 1);
    if (hets >= 1) {
      share *= males * hets / (2 * (hom_b + 1));
      hets -= 1, hom_b += 1;
    } else {
      share *= males * 2 * hom_a / (hets + 1);
      hets += 1, hom_a -= 1;
    }
    male_a += 1, male_b -= 1;
    return true;
  }
  [[nodiscard]] SexTable mirrored() const { return {hets, hom_b, hom_a, male_b, male_a, share}; }

  // To the most probable number of hets with these males: from there terms fall to both sides.
  void climb() {
    for (double up = ratio_up(hets, hom_a, hom_b); up > 1; up = ratio_up(hets, hom_a, hom_b)) {
      share *= up;
      hets += 2, hom_a -= 1, hom_b -= 1;
    }
    for (double down = ratio_down(hets, hom_a, hom_b); down > 1; down = ratio_down(hets, hom_a, hom_b)) {
      share *= down;
      hets -= 2, hom_a += 1, hom_b += 1;
    }
  }
};

// All tables with more males that have A than the observed one has, `table` itself left out.
void add_rows(SexTable table, double total, double enough, Sums& sums) {
  for (double before = table.share; table.male_gains_a(); before = table.share) {
    table.climb();
    add_row(table.hets, table.hom_a, table.hom_b, table.share, sums);
    if (sums.tail >= enough * total || table.share > kOverflows) return;
    if (table.share < before && table.share < kVanishes * sums.tail) return;
  }
}

}  // namespace

double hardy_p(const HardyCounts& counts) {
  Sums sums;
  add_row(static_cast<double>(counts.hets), static_cast<double>(counts.hom_a), static_cast<double>(counts.hom_b), 1,
          sums);
  return sums.all >= kOverflows ? 0 : std::min(1.0, sums.tail / sums.all);
}

double hardy_p_x(const HardyCounts& counts, double enough) {
  if (counts.male_a + counts.male_b == 0) return hardy_p(counts);
  SexTable table{static_cast<double>(counts.hets),   static_cast<double>(counts.hom_a),
                 static_cast<double>(counts.hom_b),  static_cast<double>(counts.male_a),
                 static_cast<double>(counts.male_b), 1};
  const double observed =
      log_probability(table.hets, table.hom_a, table.hom_b, table.male_a, table.male_b);  // of all tables together: 1
  if (observed < -std::log(kOverflows)) return 0;
  const double total = std::exp(-observed);
  Sums sums;
  table.climb();
  add_row(table.hets, table.hom_a, table.hom_b, table.share, sums);
  add_rows(table, total, enough, sums);
  if (sums.tail < enough * total) add_rows(table.mirrored(), total, enough, sums);
  return std::min(1.0, sums.tail / total);
}

}  // namespace strads::data
