// look_at_people: the tables of samples, without the columns of X.
#include <algorithm>

#include "data/datasets/load_each.hpp"
#include "data/files/mapped_file.hpp"
#include "data/formats/table.hpp"
#include "data/samples/samples.hpp"
#include "strads/data/data_shape.hpp"

namespace strads {
namespace data {
namespace {

/// Of the rows of one table, as if they were those of X; its other columns do not count.
Result<SampleSelection> select_of_table(const std::string& path, const InputOptions& alone) {
  STRADS_ASSIGN_OR_RETURN(const auto source, InputFile::open(path));
  STRADS_ASSIGN_OR_RETURN(const auto table, Table::parse(source.bytes(), path));
  STRADS_ASSIGN_OR_RETURN(const auto columns, find_id_columns(table, alone.samples.id_column, false));
  STRADS_ASSIGN_OR_RETURN(const auto ids, read_ids(table, columns));
  return select_samples(alone, table.rows(), ids, std::nullopt);
}

void count_parts(const SampleSelection& selection, PeopleShape& people) {
  const auto count = [&](SamplePart part) {
    return static_cast<std::uint64_t>(std::count(selection.split.begin(), selection.split.end(), part));
  };
  people.train = count(SamplePart::train);
  people.validate = count(SamplePart::validate);
  people.test = count(SamplePart::test);
}

}  // namespace
}  // namespace data

Result<PeopleShape> look_at_people(const InputOptions& options, const DataShape& shape) {
  PeopleShape people;
  if (options.source.is_plink()) {
    STRADS_ASSIGN_OR_RETURN(const auto selected, data::select_genotyped(options));
    people.samples = selected.rows.kept_count();
    people.covariates = selected.covariates.size();
    data::count_parts(selected, people);
    return people;
  }
  people.samples = shape.rows;
  const Samples& who = options.samples;
  if (!who.split.empty()) {
    InputOptions alone;
    alone.samples.id_column = who.id_column;
    alone.samples.split = who.split;
    alone.samples.split_name = who.split_name;
    STRADS_ASSIGN_OR_RETURN(const auto selected, data::select_of_table(who.split, alone));
    people.samples = std::min(shape.rows, selected.rows.kept_count());
    data::count_parts(selected, people);
  }
  if (!options.response.covar.empty()) {
    InputOptions alone;
    alone.samples.id_column = who.id_column;
    alone.response.covar = options.response.covar;
    alone.response.covar_names = options.response.covar_names;
    STRADS_ASSIGN_OR_RETURN(const auto selected, data::select_of_table(alone.response.covar, alone));
    people.covariates = selected.covariates.size();
  }
  return people;
}

}  // namespace strads
