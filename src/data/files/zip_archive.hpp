// Owners of what libzip hands out. Layer: data. Private.
#pragma once

#include <zip.h>

#include <memory>

namespace strads::data {

/// Gives back what libzip made; what was to be written into an archive is discarded.
struct DiscardZip {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* member) const { zip_fclose(member); }
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using ZipArchive = std::unique_ptr<zip_t, DiscardZip>;
using ZipMember = std::unique_ptr<zip_file_t, DiscardZip>;
using ZipSource = std::unique_ptr<zip_source_t, DiscardZip>;

}  // namespace strads::data
