// `lda infer`: topics of unseen documents, with the topics of a fit as they are.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "lda/commands/commands.hpp"
#include "lda/commands/read_for_model.hpp"
#include "lda/infer/infer.hpp"
#include "lda/options/fit_options.hpp"
#include "lda/topics/exports.hpp"
#include "strads/program/array_files.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/program/result_files.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/run_files.hpp"
#include "strads/program/summary.hpp"

namespace strads::lda {
namespace {

constexpr float kShownShare = 0.01F;

/// Name, then topic:share of those above kShownShare, the largest first.
Status show_topics(const TopicModel& model, const Documents& documents, std::span<const float> theta) {
  STRADS_ASSIGN_OR_RETURN(auto writer, ResultWriter::open(""));
  std::vector<std::uint32_t> order;
  for (std::uint64_t d = 0; d < documents.size(); ++d) {
    const auto row = theta.subspan(d * model.topics, model.topics);
    order.clear();
    for (std::uint32_t k = 0; k < model.topics; ++k) {
      if (row[k] >= kShownShare) order.push_back(k);
    }
    std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) { return row[a] > row[b]; });
    std::string line = documents.document(d) + "\t";
    std::string separator;
    for (const std::uint32_t k : order) {
      line += std::exchange(separator, " ") + std::to_string(k + 1) + ":" + short_text(double{row[k]}, 3);
    }
    if (Status done = writer.write(line + "\n"); !done.ok()) return done;
  }
  return writer.commit();
}

Summary summary_of(const InferOptions& options, const ModelAndDocuments& read, double seconds) {
  Summary summary;
  summary.add("program", "lda infer");
  summary.add("model", options.model);
  summary.add("topics", read.model.topics);
  summary.add("documents", read.documents.size());
  summary.add("empty_documents", read.documents.empty);
  summary.add("tokens", read.documents.tokens);
  summary.add("unknown_tokens", read.documents.unknown);
  summary.add("sweeps", options.sweeps);
  summary.add("seed", options.seed);
  summary.add("seconds", seconds);
  summary.add("peak_rss_bytes", peak_rss_bytes());
  summary.add("version", version());
  summary.add("build", build_id());
  return summary;
}

Status infer(InferOptions& options, const OptionTable& table) {
  const Stopwatch watch;
  const std::vector<std::string> own = {kThetaFile, kDocumentsFile, kDocTopicsFile};
  RunDirectory directory;
  if (!options.common.out.empty()) {
    std::error_code unknown;  // a folder that is not there is another one
    if (std::filesystem::equivalent(options.model, options.common.out, unknown)) {
      return Status::usage("--model and --out are the same folder, " + options.common.out +
                           ": give the topics of these documents a folder of their own");
    }
    STRADS_ASSIGN_OR_RETURN(directory, RunDirectory::open(options.common.out, options.common.force, own));
  }
  const auto threads = make_threads(options.threads);
  STRADS_ASSIGN_OR_RETURN(const auto read, read_for_model(options, table, *threads));
  const auto theta =
      infer_topics(read.documents, read.model.phi, read.model.alpha, {options.seed, options.sweeps}, *threads);
  if (!directory.exists()) return show_topics(read.model, read.documents, theta);
  const std::uint64_t shape[] = {read.documents.size(), read.model.topics};
  if (Status done = write_array(directory, kThetaFile, shape, theta); !done.ok()) return done;
  if (Status same = check_array(directory.path_of(kThetaFile), shape, theta); !same.ok()) return same;
  const std::string names =
      documents_table(read.documents.document_names, read.documents.begins, read.documents.counts);
  if (Status done = directory.write(kDocumentsFile, names); !done.ok()) return done;
  if (options.doc_topics) {
    if (Status done = write_doc_topics(directory, read.model, read.documents, theta); !done.ok()) return done;
  }
  if (Status done = directory.finish(summary_of(options, read, watch.seconds())); !done.ok()) return done;
  std::printf("inferred %s, %u topics\n%s", corpus_text(read.documents, options.corpus.input.path).c_str(),
              read.model.topics, files_line(directory).c_str());
  return {};
}

}  // namespace

Status run_infer(std::span<const std::string> arguments) {
  InferOptions options;
  OptionTable table = infer_option_table(options);
  if (Status parsed = table.parse(arguments); !parsed.ok()) return parsed;
  if (answered(table, options.common, "lda")) return {};
  if (Status settled = settle_infer_options(options); !settled.ok()) return settled;
  return infer(options, table);  // a signal ends it at once: nothing is kept of a part
}

}  // namespace strads::lda
