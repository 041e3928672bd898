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
  const auto source = InputFile::open(path);
  if (!source.ok()) return source.status();
  const auto table = Table::parse(source.value().bytes(), path);
  if (!table.ok()) return table.status();
  const auto columns = find_id_columns(table.value(), alone.samples.id_column, false);
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
  if (options.source.is_plink()) {
    const auto selected = data::select_genotyped(options);
    if (!selected.ok()) return selected.status();
    people.samples = selected.value().rows.kept_count();
    people.covariates = selected.value().covariates.size();
    data::count_parts(selected.value(), people);
    return people;
  }
  people.samples = shape.rows;
  const Samples& who = options.samples;
  if (!who.split.empty()) {
    InputOptions alone;
    alone.samples.id_column = who.id_column;
    alone.samples.split = who.split;
    alone.samples.split_name = who.split_name;
    const auto selected = data::select_of_table(who.split, alone);
    if (!selected.ok()) return selected.status();
    people.samples = std::min(shape.rows, selected.value().rows.kept_count());
    data::count_parts(selected.value(), people);
  }
  if (!options.response.covar.empty()) {
    InputOptions alone;
    alone.samples.id_column = who.id_column;
    alone.response.covar = options.response.covar;
    alone.response.covar_names = options.response.covar_names;
    const auto selected = data::select_of_table(alone.response.covar, alone);
    if (!selected.ok()) return selected.status();
    people.covariates = selected.value().covariates.size();
  }
  return people;
}

}  // namespace strads
