// What a .pgen is unpacked to: columns in a file that is mapped, made once and found again. Layer: data.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "data/files/mapped_file.hpp"
#include "data/genotypes/pgen.hpp"
#include "strads/base/status.hpp"
#include "strads/data/dataset.hpp"

namespace strads::data {

/// Columns of genotypes in a mapped file.
struct UnpackedGenotypes {
  std::shared_ptr<const MappedFile> file;
  Storage storage = Storage::genotype_2bit;
  std::uint64_t offset = 0;  ///< of the first column, bytes
  std::uint64_t stride = 0;  ///< from one column to the next
  bool found = false;        ///< it was there already
};

/// Where the columns of a .pgen are unpacked to: beside it, or in `scratch` under a name that tells it from others.
[[nodiscard]] std::string unpacked_path(const std::string& pgen, const std::string& scratch);

/// The columns of `pgen`: where it is a .bed, its own; else those of the file at unpacked_path(), which is written
/// where it is missing or belongs to another state of the .pgen (size, time of change, first and last bytes). It
/// appears when it is complete; processes that want it at the same time wait for the first one, which holds a lock on
/// the .pgen. Errors: StatusCode::input: a damaged record; a folder that cannot be written, a full disk: nothing is
/// left then. Cost: to write it, one pass over the .pgen.
Result<UnpackedGenotypes> unpacked_genotypes(PgenReader reader, const std::shared_ptr<const MappedFile>& pgen,
                                             const std::string& scratch);

}  // namespace strads::data
