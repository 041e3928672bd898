#include "lda/output/output.hpp"

#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>

#include "strads/program/program.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/program/run_cluster.hpp"
#include "strads/program/run_files.hpp"

namespace strads::lda {
namespace {

double alpha_sum(const LdaSolution& solution) {
  return std::accumulate(solution.alpha.begin(), solution.alpha.end(), 0.0);
}

void add_quality(Summary& summary, const FitResult& result) {
  const LdaSolution& solution = result.solution;
  summary.add("stop_reason", result.stop_reason);
  summary.add("finished", result.finished);
  summary.add("log_joint", solution.log_joint);
  summary.add("log_joint_per_token", result.log_joint_per_token());
  summary.add("held_out_perplexity", result.held_out.perplexity());
  summary.add("held_out_tokens", result.held_out.tokens);
  summary.add("held_out_documents", result.held_out_documents());
  summary.add("sweeps", solution.sweeps);
  summary.add("model_hash", result.model_hash);
}

void add_documents(Summary& summary, const FitResult& result) {
  const Documents& documents = *result.input.data->documents;
  summary.add("documents", result.input.documents);
  summary.add("train_documents", documents.size());
  summary.add("empty_documents", result.input.empty);
  summary.add("tokens", documents.tokens);
  summary.add("entries", std::uint64_t{documents.words.size()});
  summary.add("words", documents.vocabulary);
  const TextLeftOut& out = documents.left_out;
  summary.add("left_out_stop_words", out.stop_words);
  summary.add("left_out_rare", out.rare);
  summary.add("left_out_common", out.common);
  summary.add("left_out_beyond_max_words", out.beyond);
}

void add_options(Summary& summary, const FitOptions& options, const LdaSolution& solution) {
  summary.add("sampler", options.sampler);
  summary.add("topics", solution.topics);
  summary.add("alpha_sum", alpha_sum(solution));
  summary.add(kBeta, solution.beta);
  summary.add("optimise", options.lda.optimise);
  if (options.lda.sampler == Sampler::delayed) summary.add("proposals", options.lda.proposals);
  add_engine(summary, options);
}

void add_work(Summary& summary, const FitResult& result) {
  const auto& totals = result.run.end.totals;
  summary.add("rounds", totals.rounds);
  summary.add("phases", totals.phases);
  summary.add("blocks", totals.blocks);
  summary.add("updates", totals.updates);
  summary.add("flops", totals.flops);
  add_traffic(summary, result);
  summary.add("tokens_per_second", result.tokens_per_second());
}

std::uint64_t left_out_of(const TextLeftOut& out) {
  return out.stop_words + out.rare + out.common + out.beyond;
}

}  // namespace

std::string name_of_corpus(const FitOptions& options) {
  const std::string& path = options.corpus.input.path;
  return path.empty() ? "documents" : std::filesystem::path(path).filename().string();
}

double FitResult::log_joint_per_token() const {
  return solution.log_joint / static_cast<double>(input.data->tokens());
}

std::uint64_t FitResult::held_out_documents() const {
  return input.held_out == nullptr ? 0 : input.held_out->size();
}

double FitResult::tokens_per_second() const {
  if (seconds_solve <= 0) return 0;
  return static_cast<double>(solution.sweeps) * static_cast<double>(input.data->tokens()) / seconds_solve;
}

ProgressLine progress_line(const ProgressEvent& event, double seconds, std::uint32_t sweeps) {
  ProgressLine line(seconds);
  const auto& figures = event.certificate.figures;
  if (figures.size() < kFigures || figures[kFigureSweep] == 0) {
    return line.count({"sweep", 0, sweeps}).number(ProgressRank::round, "round", "round", event.totals.rounds);
  }
  const auto done = static_cast<std::uint64_t>(figures[kFigureSweep]);
  line.count({"sweep", done, sweeps});
  const auto add = [&](ProgressRank rank, const char* name, const std::string& label, Figure value, Figure sweep,
                       int digits) {
    if (!std::isfinite(figures[value])) return;
    const bool is_old = figures[sweep] != figures[kFigureSweep];
    const std::string of = " (sweep " + std::to_string(static_cast<std::uint64_t>(figures[sweep])) + ")";
    line.figure(rank, name, label + (is_old ? of : ""), figures[value], digits);
  };
  add(ProgressRank::objective, "log_joint_per_token", "log joint/token", kFigureLogJoint, kFigureMeasured, 6);
  add(ProgressRank::quality, "held_out_perplexity", "held-out perplexity", kFigureHeldOut, kFigureEvaluated, 5);
  line.left(seconds_left(seconds, done, sweeps));
  return seconds > 0 ? line.rate("tokens_per_second", "tokens/s", figures[kFigureTokens] / seconds) : line;
}

Trace::Columns trace_columns(std::uint32_t sweeps) {
  const auto row = [sweeps](const ProgressEvent& event, double seconds) -> std::string {
    const auto& figures = event.certificate.figures;
    if (event.kind != ProgressEvent::Kind::barrier || figures.size() < kFigures || figures[kFigureEndsSweep] == 0) {
      return {};
    }
    if (!event.verified && figures[kFigureSweep] >= sweeps) return {};  // measured later: last_row()
    const auto field = [](double value) { return "," + (std::isfinite(value) ? exact_text(value) : std::string()); };
    const auto of_sweep = [&](Figure value, Figure sweep) {
      return figures[sweep] == figures[kFigureSweep] ? figures[value] : std::numeric_limits<double>::quiet_NaN();
    };
    const auto& totals = event.totals;
    return exact_text(seconds) + "," + std::to_string(static_cast<std::uint64_t>(figures[kFigureSweep])) +
           field(of_sweep(kFigureLogJoint, kFigureMeasured)) + field(of_sweep(kFigureHeldOut, kFigureEvaluated)) +
           field(figures[kFigureDrift]) + field(figures[kFigureAlphaSum]) + field(figures[kFigureBeta]) +
           field(figures[kFigureTokens]) + "," + std::to_string(totals.rounds) + "," + std::to_string(totals.updates) +
           "," + std::to_string(totals.flops) + "," + std::to_string(totals.flops_path);
  };
  return {
      "seconds,sweep,log_joint_per_token,held_out_perplexity,drift,alpha_sum,beta,tokens,rounds,updates,flops,flops_"
      "path",
      row};
}

ProgressEvent last_row(const RunEnd& end, const Completion& held_out) {
  ProgressEvent event;
  event.kind = ProgressEvent::Kind::barrier;
  event.verified = true;
  event.certificate = end.certificate;
  event.totals = end.totals;
  auto& figures = event.certificate.figures;
  figures.resize(kFigures);
  figures[kFigureEndsSweep] = 1;
  figures[kFigureMeasured] = figures[kFigureEvaluated] = figures[kFigureSweep];
  figures[kFigureHeldOut] = held_out.perplexity();
  return event;
}

TopicModel topic_model_of(const LdaData& data, const LdaSolution& solution) {
  TopicModel model;
  model.topics = solution.topics;
  model.alpha = solution.alpha;
  model.beta = solution.beta;
  model.words.reserve(data.vocabulary());
  for (std::uint32_t w = 0; w < data.vocabulary(); ++w) model.words.push_back(data.documents->word(w));
  model.phi = phi_of(data, solution);
  model.word_tokens = data.word_tokens;
  model.topic_tokens = solution.totals;
  return model;
}

Summary summary_of(const FitOptions& options, const FitResult& result) {
  Summary summary;
  summary.add("program", "lda fit");
  summary.add(kModelFormat, kTopicFilesFormat);
  add_quality(summary, result);
  add_documents(summary, result);
  add_work(summary, result);
  add_execution(summary, options, result);
  add_options(summary, options, result.solution);
  add_cluster(summary, result, [](Summary&, const NodeReport&) {});
  return summary;
}

std::string closing_lines(const FitOptions& options, const FitResult& result, const RunDirectory& directory) {
  const LdaSolution& solution = result.solution;
  const Documents& documents = *result.input.data->documents;
  std::string out = "fitted   " + corpus_text(documents, name_of_corpus(options)) + "; " +
                    with_unit(solution.topics, "topic", "topics") + ", sampler " + options.sampler + "\n";
  const bool is_whole = result.stop_reason == kStopSweeps;
  out += "quality  " + (is_whole ? "finished" : result.stop_reason) + " after " +
         with_unit(solution.sweeps, "sweep", "sweeps") + ": log joint per token " +
         short_text(result.log_joint_per_token(), 6);
  if (result.held_out.tokens > 0) {
    out += ", held-out perplexity " + short_text(result.held_out.perplexity(), 6) + " (document completion, " +
           with_unit(result.held_out.tokens, "token", "tokens") + ")";
  }
  out += "\nsize     " + with_unit(documents.words.size(), "pair", "pairs") + " of document and word, " +
         std::to_string(result.held_out_documents()) +
         (options.test.empty() ? " documents held out, " : " documents of --test, ") +
         with_unit(left_out_of(documents.left_out), "token", "tokens") + " left out; alpha " +
         short_text(alpha_sum(solution) / solution.topics, 4) + (options.lda.optimise ? " (mean)" : "") + ", beta " +
         short_text(solution.beta, 4) + "; model_hash " + result.model_hash + "\n";
  return out + time_line(options, result, short_text(result.tokens_per_second(), 3) + " tokens/s") +
         files_line(directory);
}

}  // namespace strads::lda
