// libFuzzer target: summary statistics beside a panel of six variants; the first byte chooses columns and rules. What
// is read adds up.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/files/mapped_file.hpp"
#include "data/sumstats/ld_regions.hpp"
#include "data/sumstats/read_summary.hpp"
#include "data/sumstats/study_facts.hpp"

namespace {

constexpr double kSd[] = {0.6, 0.7, 0.4, 0, 0.5, 0.03};
constexpr double kFrequency[] = {0.3, 0.6, 0.1, 0, 0.5, 0.5};

strads::SummaryPanel small_panel() {
  static const strads::VariableName kNames[] = {{"rs1", "1", "100", "A", "G"}, {"rs2", "1", "200", "C", "T"},
                                                {"rs3", "2", "100", "G", "T"}, {"rs4", "2", "200", "A", "0"},
                                                {"rs5", "2", "200", "A", "T"}, {"rs5", "X", "-7", "AC", "A"}};
  strads::SummaryPanel panel;
  panel.name = "panel";
  panel.variants = 6;
  panel.variant = [](strads::VarId j) { return kNames[j]; };
  panel.sd = kSd;
  panel.frequency = kFrequency;
  return panel;
}

void expect(bool holds) {
  if (!holds) __builtin_trap();
}

void expect_sound(const strads::SummaryData& data) {
  const auto& counts = data.counts;
  expect(std::accumulate(counts.dropped.begin(), counts.dropped.end(), counts.kept + counts.other_tests) ==
         counts.rows);
  expect(counts.kept == data.variants.size());
  std::uint64_t at = 0;
  for (const auto& block : data.blocks) {
    expect(block.first == at && block.last > at);
    for (; at < block.last; ++at) {
      const auto& variant = data.variants[at];
      expect(std::abs(variant.r) <= 1 && variant.n > 0 && std::isfinite(variant.n));
      expect(at == block.first || data.variants[at - 1].column < variant.column);
    }
  }
  expect(at == data.variants.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  const auto regions = strads::data::LdRegions::parse(text, "fuzz");
  (void)strads::data::parse_study_facts(text, "fuzz").ok();
  strads::SummaryOptions options;
  options.files = {"fuzz"};
  if ((bytes[0] & 1) != 0) options.columns = "id=i,chr=c,pos=q,a1=a,a2=b,z=z,beta=e,or=o,se=s,p=p";
  if ((bytes[0] & 2) != 0) options.n = 100;
  options.match = static_cast<strads::SummaryMatch>((bytes[0] >> 2) % 3);
  options.quality_control = (bytes[0] & 16) != 0;
  options.min_matched = (bytes[0] & 32) != 0 ? 0.5 : 0;
  static const auto nothing = strads::data::InputFile::open("/dev/null");
  if (!nothing.ok()) return 0;
  auto table = strads::data::summary_table_of(nothing.value().with_text(std::string(text)), {}, options);
  if (!table.ok()) return 0;
  std::vector<strads::data::SummaryTable> tables;
  tables.push_back(std::move(table).value());
  const auto read =
      strads::data::summary_of_tables(tables, regions.ok() ? &regions.value() : nullptr, options, small_panel());
  if (read.ok()) expect_sound(read.value());
  return 0;
}
