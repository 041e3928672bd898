// A panel of a few variants, and statistics that are read beside it.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "data/fixtures.hpp"
#include "strads/data/summary_statistics.hpp"

namespace strads::data {

struct PanelVariant {
  std::string id, chromosome, position, counted, other;
  double frequency = 0.5;
  double sd = 0.5;
};

/// Owns what a SummaryPanel looks at.
class SmallPanel {
 public:
  explicit SmallPanel(std::vector<PanelVariant> variants) : variants_(std::move(variants)) {
    for (const auto& variant : variants_) {
      sd_.push_back(variant.sd);
      frequency_.push_back(variant.frequency);
    }
  }

  [[nodiscard]] SummaryPanel view() const {
    SummaryPanel panel;
    panel.name = "panel";
    panel.variants = static_cast<VarId>(variants_.size());
    panel.variant = [this](VarId j) {
      const auto& v = variants_[j];
      return VariableName{v.id, v.chromosome, v.position, v.counted, v.other};
    };
    panel.sd = sd_;
    panel.frequency = frequency_;
    return panel;
  }

 private:
  std::vector<PanelVariant> variants_;
  std::vector<double> sd_, frequency_;
};

/// Three variants of two chromosomes; the second counts the allele that the tables below call the other one.
inline SmallPanel three_variants() {
  return SmallPanel({{"rs1", "1", "100", "A", "G", 0.3, 0.6},
                     {"rs2", "1", "200", "C", "T", 0.6, 0.7},
                     {"rs3", "2", "100", "G", "T", 0.1, 0.4}});
}

/// Without quality control, for which three variants are few.
inline SummaryOptions plain_options(std::vector<std::string> files) {
  SummaryOptions options;
  options.files = std::move(files);
  options.quality_control = false;
  return options;
}

inline SummaryData summary_of(const SummaryOptions& options, const SmallPanel& panel) {
  auto read = read_summary(options, panel.view());
  EXPECT_TRUE(read.ok()) << read.status().message();
  return read.ok() ? std::move(read).value() : SummaryData{};
}

inline std::string refusal_of(const SummaryOptions& options, const SmallPanel& panel) {
  const auto read = read_summary(options, panel.view());
  EXPECT_FALSE(read.ok());
  return read.status().message();
}

inline double correlation_by_hand(double z, double n) {
  return z / std::sqrt(n - 2 + z * z);
}

}  // namespace strads::data
