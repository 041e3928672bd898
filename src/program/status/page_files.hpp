// The files of the page, compiled in by cmake/StatusPage.cmake. Layer: program.
#pragma once

#include <span>
#include <string_view>

namespace strads {

struct PageFile {
  std::string_view name;  ///< "index.html"
  std::string_view content;
};
[[nodiscard]] std::span<const PageFile> page_files();

}  // namespace strads
