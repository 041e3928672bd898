/// \file
/// .npz files made in memory.
#pragma once

#include <zip.h>

#include <map>
#include <string>

namespace strads::data {

/// Bytes of .npy files by name, without the ending.
using Arrays = std::map<std::string, std::string>;

/// A zip archive of the arrays, compressed as numpy.savez_compressed does.
inline std::string zipped(const Arrays& arrays) {
  zip_error_t error;
  zip_source_t* source = zip_source_buffer_create(nullptr, 0, 0, &error);
  zip_source_keep(source);
  zip_t* archive = zip_open_from_source(source, ZIP_TRUNCATE, &error);
  for (const auto& [name, bytes] : arrays) {
    zip_file_add(archive, (name + ".npy").c_str(), zip_source_buffer(archive, bytes.data(), bytes.size(), 0), 0);
  }
  zip_close(archive);
  zip_stat_t about;
  zip_source_stat(source, &about);
  std::string out(about.size, '\0');
  zip_source_open(source);
  zip_source_read(source, out.data(), out.size());
  zip_source_close(source);
  zip_source_free(source);
  return out;
}

}  // namespace strads::data
