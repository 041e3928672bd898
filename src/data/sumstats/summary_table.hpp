// Tables of summary statistics that are open, and how many people each row stands for. Layer: data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/files/mapped_file.hpp"
#include "data/formats/table.hpp"
#include "data/sumstats/study_facts.hpp"
#include "data/sumstats/summary_columns.hpp"
#include "data/sumstats/summary_row.hpp"
#include "strads/base/status.hpp"
#include "strads/data/summary_statistics.hpp"

namespace strads::data {

/// Where n comes from if the row does not say, and what n of a row is multiplied with.
struct PeopleOfStudy {
  std::optional<double> n;     ///< effective where cases and controls are known
  double effective_share = 1;  ///< 4 cases controls / (cases + controls)^2: of people, that of effective ones
  bool has_cases = false;

  /// Of a row; NaN: unknown.
  [[nodiscard]] double of(const SummaryRow& row) const;
};

/// One table.
struct SummaryTable {
  InputFile file;
  Table table;
  SummaryColumns columns;
  StudyFacts facts;
  PeopleOfStudy people;
  bool n_of_facts = false;  ///< rows have no n, and neither do the options

  [[nodiscard]] const std::string& path() const { return table.path(); }
};

/// Opens a table with what lies beside it. Errors: as Table::parse() and find_summary_columns(); input: no n anywhere.
[[nodiscard]] Result<SummaryTable> open_summary_table(const std::string& path, const SummaryOptions& options);
/// The same of a file that is open.
[[nodiscard]] Result<SummaryTable> summary_table_of(InputFile file, StudyFacts facts, const SummaryOptions& options);

}  // namespace strads::data
