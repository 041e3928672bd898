#include <array>
#include <cstddef>

#include "strads/data/summary_statistics.hpp"

namespace strads {

const char* name_of(SummaryFormat format) {
  switch (format) {
    case SummaryFormat::gwas_ssf:
      return "GWAS-SSF";
    case SummaryFormat::plink2:
      return "plink2 .glm";
    case SummaryFormat::regenie:
      return "regenie";
    case SummaryFormat::saige:
      return "SAIGE";
    case SummaryFormat::cojo:
      return "COJO .ma";
    case SummaryFormat::ldsc:
      return "LDSC .sumstats";
    case SummaryFormat::mapped:
      break;
  }
  return "columns by --sumstats-columns";
}

const char* text_of(SummaryReason reason) {
  constexpr std::array<const char*, kSummaryReasons> kTexts{
      "no result (the table reports an error)",
      "no result (neither Z nor effect)",
      "no result (effect without standard error and p)",
      "no n",
      "several other alleles",
      "not in the panel",
      "other alleles in the panel",
      "several variants of the panel",
      "A/T or C/G",
      "twice in the statistics",
      "constant in the panel",
      "low quality of imputation",
      "low n",
      "rare in the panel",
      "sd by the statistics unlike the panel's",
      "frequency unlike the panel's",
      "outside of the LD blocks",
  };
  return kTexts[static_cast<std::size_t>(reason)];
}

const char* text_of(SummarySource source) {
  constexpr std::array<const char*, kSummarySources> kTexts{"Z", "effect and standard error",
                                                            "p and the effect's sign"};
  return kTexts[static_cast<std::size_t>(source)];
}

}  // namespace strads
