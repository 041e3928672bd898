// look_at_people: the tables of samples, without the columns of X.
#include <algorithm>

#include "data/files/mapped_file.hpp"
#include "data/formats/table.hpp"
#include "data/genotypes/load_genotypes.hpp"
#include "data/samples/samples.hpp"
#include "strads/data/data_shape.hpp"

namespace strads {
namespace data {
namespace {

/// Of the rows of one table, as if they were those of X; its other columns do not count.
Result<SampleSelection> select_of_table(const InputOptions& options, const std::string& path) {
  InputOptions alone;
  alone.id_column = options.id_column;
  if (path == options.split) {
    alone.split = path;
    alone.split_name = options.split_name;
  } else {
    alone.covar = path;
    alone.covar_names = options.covar_names;
  }
  const auto source = InputFile::open(path);
  if (!source.ok()) return source.status();
  const auto table = Table::parse(source.value().bytes(), path);
  if (!table.ok()) return table.status();
  const auto columns = find_id_columns(table.value(), options.id_column, false);
  if (!columns.ok()) return columns.status();
  const auto ids = read_ids(table.value(), columns.value());
  if (!ids.ok()) return ids.status();
  return select_samples(alone, table.value().rows(), ids.value(), std::nullopt);
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
  if (options.is_plink()) {
    const auto selected = data::select_genotyped(options);
    if (!selected.ok()) return selected.status();
    people.samples = selected.value().rows.kept_count();
    people.covariates = selected.value().covariates.size();
    data::count_parts(selected.value(), people);
    return people;
  }
  people.samples = shape.rows;
  if (!options.split.empty()) {
    const auto selected = data::select_of_table(options, options.split);
    if (!selected.ok()) return selected.status();
    people.samples = std::min(shape.rows, selected.value().rows.kept_count());
    data::count_parts(selected.value(), people);
  }
  if (!options.covar.empty()) {
    const auto selected = data::select_of_table(options, options.covar);
    if (!selected.ok()) return selected.status();
    people.covariates = selected.value().covariates.size();
  }
  return people;
}

}  // namespace strads
