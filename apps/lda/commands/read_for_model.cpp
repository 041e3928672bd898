#include "lda/commands/read_for_model.hpp"

#include <string>
#include <utility>

#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_files.hpp"
#include "strads/program/run_folder.hpp"

namespace strads::lda {
namespace {

/// The text options of the fit, where none of them was given here.
Status take_text_options(ModelOptions& options, const OptionTable& table) {
  const std::string file = options.model + "/" + kConfigFile;
  const std::string config[] = {kConfigFile};
  if (Status whole = check_run_files(options.model, config); !whole.ok()) return whole;
  FitOptions fit;
  OptionTable of_fit = fit_option_table(fit);
  if (Status read = of_fit.parse_config(file); !read.ok()) return read;
  TextOptions& text = options.corpus.input.text;
  if (!table.given("stop-words")) text.stop_words = fit.corpus.input.text.stop_words;
  if (!table.given("min-letters")) text.letters_min = fit.corpus.input.text.letters_min;
  if (!table.given("digits")) text.digits = fit.corpus.input.text.digits;
  return {};
}

}  // namespace

Result<ModelAndDocuments> read_for_model(ModelOptions& options, const OptionTable& table, Chunks& chunks) {
  ModelAndDocuments out;
  STRADS_ASSIGN_OR_RETURN(out.model, read_topic_model(options.model));
  if (Status text = take_text_options(options, table); !text.ok()) return text;
  STRADS_ASSIGN_OR_RETURN(out.documents, load_documents(options.corpus.input, out.model.words, chunks, {}));
  if (options.common.quiet) return out;
  const Documents& read = out.documents;
  for (const std::string& note : corpus_notes(read.empty, read.unknown, options.corpus.input.path)) {
    print_note("lda", note);
  }
  return out;
}

}  // namespace strads::lda
