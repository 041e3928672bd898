#include "data/corpora/stop_words.hpp"

#include <string_view>

#include "data/corpora/tokenizer.hpp"
#include "data/files/mapped_file.hpp"
#include "data/text/text.hpp"

namespace strads::data {
namespace {

/// Function words: articles, pronouns, prepositions, conjunctions, auxiliary verbs, common adverbs, and what is left of
/// "don't" and the like when it is cut at the apostrophe. Written for this program.
constexpr std::string_view kEnglish =
    "a about above across after afterwards again against ain all almost alone along already also although always am "
    "among amongst an and another any anybody anyhow anyone anything anyway anywhere are aren around as aside at away "
    "be became because become becomes been before beforehand behind being below beside besides between beyond both but "
    "by can cannot can't could couldn did didn do does doesn doing don done down during each either else elsewhere "
    "enough etc even ever every everybody everyone everything everywhere except few first for former formerly from "
    "further get gets getting go goes going gone got had hadn has hasn have haven having he hence her here hereafter "
    "hereby herein hers herself him himself his how however i if in indeed instead into is isn it its itself just last "
    "latter least less let like ll made make makes many may maybe me meanwhile might mightn mine more moreover most "
    "mostly much must mustn my myself namely neither never nevertheless next no nobody none nor not nothing now "
    "nowhere of off often on once one ones only onto or other others otherwise ought our ours ourselves out over own "
    "per perhaps please quite rather re really s said same say says see seem seemed seeming seems several shall shan "
    "she should shouldn since so some somebody somehow someone something sometime sometimes somewhere still such t "
    "take than that the their theirs them themselves then thence there thereafter thereby therefore therein these "
    "they this those though through throughout thus to together too toward towards under unless until up upon us used "
    "using ve very via want was wasn way we well went were weren what whatever when whence whenever where whereas "
    "whereby wherein wherever whether which while who whoever whole whom whose why will with within without won would "
    "wouldn yes yet you your yours yourself yourselves";

}  // namespace

Result<std::unordered_set<std::string>> stop_words(const std::string& which) {
  std::unordered_set<std::string> out;
  if (which == "none") return out;
  const auto take = [&](std::string_view line) {
    WordReader words(line);
    for (std::string_view word; words.next(word);) out.insert(lower_case(word));
  };
  if (which == "english") {
    take(kEnglish);
    return out;
  }
  STRADS_ASSIGN_OR_RETURN(const auto file, InputFile::open(which));
  LineReader lines = LineReader::of_file(file.bytes());
  for (std::string_view line; lines.next(line);) take(line.substr(0, line.find('#')));
  return out;
}

}  // namespace strads::data
