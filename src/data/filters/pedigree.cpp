#include "data/filters/pedigree.hpp"

#include <array>

#include "data/formats/text.hpp"

namespace strads::data {

Pedigree read_pedigree(std::string_view fam) {
  Pedigree out;
  LineReader lines = LineReader::of_file(fam);
  for (std::string_view line; lines.next(line);) {
    std::array<std::string_view, 5> fields;
    WordReader words(line);
    for (auto& field : fields) words.next(field);
    if (fields[0].empty()) continue;  // empty lines may stand at the end
    out.founder.push_back(fields[2] == "0" && fields[3] == "0" ? 1 : 0);
    out.sex.push_back(fields[4] == "1" ? Sex::male : fields[4] == "2" ? Sex::female : Sex::unknown);
  }
  return out;
}

}  // namespace strads::data
