// The files that --bfile PREFIX, --pfile PREFIX and --bpfile PREFIX mean. Layer: data.
#pragma once

#include <string>
#include <vector>

#include "strads/base/status.hpp"
#include "strads/data/input_options.hpp"

namespace strads::data {

/// Their names. The variants' file may be packed: where PREFIX.bim (PREFIX.pvar) is not there, it is the first that is
/// of .bim.zst and .bim.gz (.pvar.zst and .pvar.gz).
struct GenotypeFiles {
  std::string calls;     ///< .bed or .pgen
  std::string variants;  ///< .bim or .pvar
  std::string samples;   ///< .fam or .psam
};
/// REQUIRES: source.is_plink().
[[nodiscard]] GenotypeFiles genotype_files(const Source& source);

/// The sets of files that are meant: where the last part of PREFIX has an @ and no file has that very name, one for
/// each chromosome whose calls are there, in the order 1 to 99, X, Y, XY, MT; else the one. Not empty. Errors: input:
/// none is there. REQUIRES: source.is_plink().
[[nodiscard]] Result<std::vector<Source>> sources_of(const Source& source);

/// Why the files of --bfile, --pfile or --bpfile PREFIX cannot be opened, where the name tells: PREFIX is a file's
/// name, or that of files which another of these options reads. Ok where it does not.
[[nodiscard]] Status explain_prefix(const Source& source);

}  // namespace strads::data
