// Small problems with a known structure, written as files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "run_lasso.hpp"

namespace strads::test {

/// Numbers in [0, 1) that are the same on every machine.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  double next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state_ >> 11) * 0x1.0p-53;
  }
  /// Mean 0, about normal.
  double bell() { return next() + next() + next() + next() - 2; }

 private:
  std::uint64_t state_;
};

/// rows x columns entries, column after column, and y = 3 x_1 - 2 x_2 + x_3 + noise + 10.
struct Table {
  std::uint64_t rows;
  std::uint64_t columns;
  std::vector<double> x;
  std::vector<double> y;

  Table(std::uint64_t n, std::uint64_t count, std::uint64_t seed = 1) : rows(n), columns(count) {
    Numbers numbers(seed);
    for (std::uint64_t k = 0; k < n * count; ++k) x.push_back(numbers.bell());
    for (std::uint64_t i = 0; i < n; ++i) y.push_back(10 + 3 * at(i, 0) - 2 * at(i, 1) + at(i, 2) + numbers.bell());
  }
  [[nodiscard]] double at(std::uint64_t i, std::uint64_t j) const { return x[j * rows + i]; }

  /// Header x1 .. xJ,y.
  [[nodiscard]] std::string csv() const {
    std::ostringstream out;
    out.precision(17);
    for (std::uint64_t j = 0; j < columns; ++j) out << "x" << j + 1 << ",";
    out << "y\n";
    for (std::uint64_t i = 0; i < rows; ++i) {
      for (std::uint64_t j = 0; j < columns; ++j) out << at(i, j) << ",";
      out << y[i] << "\n";
    }
    return out.str();
  }
  [[nodiscard]] std::string y_csv() const {
    std::ostringstream out;
    out.precision(17);
    out << "y\n";
    for (const double value : y) out << value << "\n";
    return out.str();
  }
  /// X as a Fortran-ordered .npy of doubles.
  [[nodiscard]] std::string npy() const {
    std::string header = "{'descr': '<f8', 'fortran_order': True, 'shape': (" + std::to_string(rows) + ", " +
                         std::to_string(columns) + "), }";
    header.resize(118 - 1, ' ');
    header += "\n";
    std::string out("\x93NUMPY\x01\x00\x76\x00", 10);
    out += header;
    out.append(reinterpret_cast<const char*>(x.data()), x.size() * sizeof(double));
    return out;
  }
};

/// A PLINK triple with missing calls, and a phenotype that three variants explain. Variant j counts allele A1.
struct Genotypes {
  static constexpr int kMissing = -1;
  std::uint64_t samples;
  std::uint64_t variants;
  std::vector<int> calls;  ///< copies of A1 or kMissing, variant after variant
  std::vector<double> phenotype;

  Genotypes(std::uint64_t n, std::uint64_t count, std::uint64_t seed = 1) : samples(n), variants(count) {
    Numbers numbers(seed);
    for (std::uint64_t j = 0; j < count; ++j) {
      const double frequency = 0.15 + 0.3 * numbers.next();
      for (std::uint64_t i = 0; i < n; ++i) {
        const int copies = (numbers.next() < frequency ? 1 : 0) + (numbers.next() < frequency ? 1 : 0);
        calls.push_back(numbers.next() < 0.03 ? kMissing : copies);
      }
    }
    for (std::uint64_t i = 0; i < n; ++i) {
      phenotype.push_back(170 + 4 * call(i, 5) - 3 * call(i, 17) + 2 * call(i, 40) + 2 * numbers.bell());
    }
  }
  [[nodiscard]] int call(std::uint64_t i, std::uint64_t j) const { return calls[j * samples + i]; }

  /// `swapped`: A1 and A2 exchanged in the .bim, the same genotypes counted the other way.
  std::string write(const Folder& folder, const std::string& name, bool swapped = false) const {
    std::string bed("\x6c\x1b\x01", 3);
    std::ostringstream bim;
    std::ostringstream fam;
    for (std::uint64_t j = 0; j < variants; ++j) {
      std::string column((samples + 3) / 4, '\0');
      for (std::uint64_t i = 0; i < samples; ++i) {
        const int copies = swapped && call(i, j) != kMissing ? 2 - call(i, j) : call(i, j);
        const unsigned code = copies == kMissing ? 1U : copies == 2 ? 0U : copies == 1 ? 2U : 3U;
        column[i / 4] = static_cast<char>(static_cast<unsigned char>(column[i / 4]) | (code << (2 * (i % 4))));
      }
      bed += column;
      bim << "1\trs" << j + 1 << "\t0\t" << 1000 * (j + 1) << (swapped ? "\tG\tA\n" : "\tA\tG\n");
    }
    for (std::uint64_t i = 0; i < samples; ++i) {
      fam << "f" << i << "\ti" << i << "\t0\t0\t1\t" << phenotype[i] << "\n";
    }
    folder.write(name + ".bed", bed);
    folder.write(name + ".bim", bim.str());
    folder.write(name + ".fam", fam.str());
    return folder.path(name);
  }
};

}  // namespace strads::test
