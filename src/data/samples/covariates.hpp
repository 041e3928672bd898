// Covariates: which columns of --covar and of the file of the samples, how text becomes numbers. Layer: data.
#pragma once

#include <string>
#include <vector>

#include "data/samples/samples.hpp"
#include "strads/base/status.hpp"
#include "strads/data/dataset.hpp"

namespace strads::data {

/// Values of a table's rows, put where the rows of X are; name and words are left to the caller.
Result<RowValues> at_rows_of_x(const SampleIds& x, const SampleIds& ids, const std::vector<double>& values);

/// Columns that PLINK writes between the ids and the phenotypes (.psam, .raw): nobody means them without naming them.
bool describes_pedigree(const IdColumns& ids, const std::string& name);

/// The error of a table that must have sample ids and has none.
Status no_ids(const Table& table);

/// Of a table without a header: how its columns were called.
std::string no_header(const Table& table);

/// Reads the covariates that response.covar_names asks for, or all numeric ones, and drops the samples without them.
///
/// A name is that of a column of --covar; or `A-B`, all its columns from A to B; or, where that table has no such
/// column, of one of the .fam or .psam, which needs no --covar: `SEX` (1 for men, 2 for women), what a .psam's header
/// names, `phenotype` for column 6 of a .fam. A column of text is a factor with 2 to 50 levels among the samples that
/// are left: an indicator `column=level` for each. The last one is that of the first level in the alphabet, the
/// reference, as in R: being 1 minus the sum of the others, it is left out where covariates are projected.
/// `column=level` is a name too (models have such names): then no sample may have another level than those named.
/// Errors: input and usage, with the place. Cost: one pass over the table for each column.
Status apply_covariates(const Source& source, const Response& response, const std::string& id_column,
                        const SampleIds& x, SampleSelection& out);

}  // namespace strads::data
