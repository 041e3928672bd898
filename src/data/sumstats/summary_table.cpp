#include "data/sumstats/summary_table.hpp"

#include <cmath>
#include <utility>

#include "data/text/text.hpp"

namespace strads::data {
namespace {

PeopleOfStudy people_of_study(const SummaryOptions& options, const StudyFacts& facts) {
  PeopleOfStudy people;
  std::optional<double> cases = options.cases, controls = options.controls;
  if (!cases && facts.cases.value_or(0) > 0 && facts.controls.value_or(0) > 0) {
    cases = facts.cases;
    controls = facts.controls;
  }
  people.n = options.n ? options.n : facts.n;
  if (cases && controls) {
    people.has_cases = true;
    const double effective = effective_people(*cases, *controls);
    people.effective_share = effective / (*cases + *controls);
    people.n = options.n ? *options.n * people.effective_share : effective;
  }
  return people;
}

Status no_people(const Table& table) {
  return Status::input(at(table.path(), 1, 1) +
                       "no column with n, expected how many people the study has: say --n PEOPLE, or --cases CASES "
                       "--controls CONTROLS, name a column (--sumstats-columns n=...), or put " +
                       table.path() + "-meta.yaml with sample_size beside it");
}

}  // namespace

double PeopleOfStudy::of(const SummaryRow& row) const {
  if (!std::isnan(row.n)) return row.n_is_effective ? row.n : row.n * effective_share;
  return n.value_or(std::nan(""));
}

Result<SummaryTable> summary_table_of(InputFile file, StudyFacts facts, const SummaryOptions& options) {
  STRADS_ASSIGN_OR_RETURN(Table table, Table::parse(file.bytes(), file.path()));
  STRADS_ASSIGN_OR_RETURN(SummaryColumns columns, find_summary_columns(table, options.columns));
  PeopleOfStudy people = people_of_study(options, facts);
  const bool has_column = columns.has(SummaryField::n) || columns.has(SummaryField::cases);
  if (!has_column && !people.n) return no_people(table);
  if (people.n && !(*people.n > 2)) {
    return Status::input(file.path() + ": n is " + short_number(*people.n) + ", expected more than 2 people");
  }
  const bool n_of_facts = !has_column && !options.n && !options.cases;
  return SummaryTable{std::move(file),  std::move(table),  std::move(columns),
                      std::move(facts), std::move(people), n_of_facts};
}

Result<SummaryTable> open_summary_table(const std::string& path, const SummaryOptions& options) {
  STRADS_ASSIGN_OR_RETURN(InputFile file, InputFile::open(path));
  STRADS_ASSIGN_OR_RETURN(std::optional<StudyFacts> facts, study_facts_of(path));
  return summary_table_of(std::move(file), facts.value_or(StudyFacts()), options);
}

}  // namespace strads::data
