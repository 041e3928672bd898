#include "lda/options/fit_options.hpp"

#include <utility>

#include "strads/program/option_table.hpp"

namespace strads::lda {
namespace {

void add_held_out_options(OptionTable& table, FitOptions& options) {
  const OptionSection rows = table.section("input");
  rows.common().number(
      "held-out", "SHARE",
      "share of the documents that is not learned from, by a hash; their perplexity is computed by document completion",
      &options.held_out, {.min = 0, .max = 1, .max_open = true});
  rows.common().text("test", "FILE",
                     "instead of --held-out: documents whose perplexity is computed, in a form as --corpus",
                     &options.test);
  table.exclusive("held-out", "test");
}

void add_problem_options(OptionTable& table, FitOptions& options) {
  const OptionSection rows = table.section("problem");
  rows.common().count("topics", "K", "number of topics; memory of the tables grows with it", &options.lda.topics,
                      {.min = 1, .max = kTopicsMax});
  rows.common().number("alpha", "A",
                       "prior of each topic in a document, 0 = 50 / K; smaller makes documents of fewer topics",
                       &options.alpha, {.min = 0});
  rows.common().number("beta", "B", "prior of each word in a topic; smaller makes topics of fewer words",
                       &options.lda.beta, {.min = 1e-12});
}

void add_sampler_options(OptionTable& table, FitOptions& options) {
  const OptionSection rows = table.section("sampler");
  rows.choice("sampler",
              "delayed: Metropolis-Hastings with the counts of a half-sweep's start, the same bits whatever computes; "
              "rotation: the papers', exact but for the totals; stale: the data-parallel baseline",
              &options.sampler, {"delayed", "rotation", "stale"});
  rows.common().count("sweeps", "N", "passes over the tokens", &options.lda.sweeps, {.min = 1});
  rows.count("proposals", "M", "delayed: proposals a token and half-sweep; more mix better and cost more",
             &options.lda.proposals, {.min = 1, .max = kProposalsMax});
  rows.common().on_off("optimise", "fit alpha, of each topic, and beta; by Minka's fixed point, a step a sweep",
                       &options.lda.optimise);
  rows.count("optimise-after", "N", "sweeps before the first of these steps", &options.lda.optimise_after, {});
  rows.count("measure-every", "N", "sweeps between two log joints; the last sweep has one in any case",
             &options.lda.measure_every, {.min = 1});
  rows.count("evaluate-every", "N",
             "sweeps between two perplexities of the held-out documents; 0 = as many as cost some 5 % of the run",
             &options.lda.evaluate_every, {});
}

void add_export_options(OptionTable& table, ExportOptions& exports) {
  const OptionSection rows = table.section("output");
  rows.count("top-words", "N", "words of each topic in topics.tsv", &exports.top, {.min = 1});
  rows.on_off("state", "write state.gz too, the topic of each token, as Mallet does", &exports.state);
  rows.on_off("doc-topics", "write doc-topics.tsv too, theta as text, as Mallet does", &exports.doc_topics);
  rows.on_off("pyldavis", "write pyldavis.json too, what pyLDAvis.prepare() takes", &exports.pyldavis);
}

void add_model_options(OptionTable& table, ModelOptions& options) {
  table.section("input").common().text("model", "DIR", "run directory of lda fit", &options.model);
  add_corpus_options(table, options.corpus,
                     "documents in any form that lda fit reads; words that the model does not know are left out");
  add_text_options(table, options.corpus.input.text, false);
}

void add_inference_options(OptionTable& table, ModelOptions& options) {
  table.section("sampler").count("sweeps", "N", "passes over the tokens of each document", &options.sweeps, {.min = 1});
  table.section("engine").common().count("seed", "N", "same model, documents and seed: the same answer", &options.seed,
                                         {});
  table.section("machine").common().count(
      "threads", "N", "threads that compute, 0 = all cores that it may use; never changes the result", &options.threads,
      {.min = 0, .max = 4096});
}

Sampler sampler_of(const std::string& name) {
  return name == "rotation" ? Sampler::rotation : name == "stale" ? Sampler::stale : Sampler::delayed;
}

Status settle_model_options(ModelOptions& options) {
  if (options.model.empty()) return Status::usage("no model: give --model DIR, the run directory of lda fit");
  return settle_corpus(options.corpus);
}

}  // namespace

OptionTable fit_option_table(FitOptions& options) {
  return fit_option_table(options, "lda fit",
                          "lda fit: the topics of documents by latent Dirichlet allocation\n"
                          "usage: lda fit --corpus FILE [--topics K] [--held-out SHARE | --test FILE] [options]\n");
}

OptionTable fit_option_table(FitOptions& options, std::string command, std::string usage) {
  OptionTable table(std::move(command), std::move(usage));
  add_corpus_options(table, options.corpus,
                     "documents: a matrix of counts, a text with one a line, or a folder; UCI's bag of words, libsvm, "
                     "Matrix Market, scipy's .npz; gzip by content");
  add_held_out_options(table, options);
  add_text_options(table, options.corpus.input.text, true);
  add_problem_options(table, options);
  add_sampler_options(table, options);
  add_export_options(table, options.exports);
  add_run_options(table, options);
  add_checkpoint_options(table, options);
  return table;
}

std::vector<std::string*> paths_of(FitOptions& options) {
  std::vector<std::string*> paths = corpus_paths(options.corpus);
  paths.push_back(&options.test);
  return paths;
}

DocumentsInput test_input(const FitOptions& options) {
  DocumentsInput input = options.corpus.input;
  input.path = options.test;
  return input;
}

Status settle_fit_options(FitOptions& options, const OptionTable& table) {
  if (options.in_memory == nullptr) {
    if (Status corpus = settle_corpus(options.corpus); !corpus.ok()) return corpus;
  } else if (!options.corpus.input.path.empty()) {
    return Status::usage("documents are given twice, in memory and as a file; give one of them");
  }
  // A config file's share is set aside by --test.
  if (!options.test.empty()) options.held_out = 0;
  options.lda.sampler = sampler_of(options.sampler);
  options.lda.alpha.clear();
  if (options.alpha > 0) options.lda.alpha.assign(options.lda.topics, options.alpha);
  if (Status right = check_lda_options(options.lda); !right.ok()) return right;
  return check_run_options(table, options);
}

OptionTable infer_option_table(InferOptions& options) {
  OptionTable table("lda infer",
                    "lda infer: topics of unseen documents, with the topics of a fit as they are\n"
                    "usage: lda infer --model DIR --corpus FILE [--out DIR]\n");
  add_model_options(table, options);
  add_inference_options(table, options);
  table.section("output").on_off("doc-topics", "write doc-topics.tsv too, theta as text, as Mallet does",
                                 &options.doc_topics);
  add_common_options(table, options.common, "DIR",
                     "directory for theta.npy; without it shares of topics above 0.01 are shown", true);
  return table;
}

Status settle_infer_options(InferOptions& options) {
  return settle_model_options(options);
}

OptionTable evaluate_option_table(EvaluateOptions& options) {
  OptionTable table("lda evaluate",
                    "lda evaluate: perplexity of documents by completion, and coherence of the topics in them\n"
                    "usage: lda evaluate --model DIR --corpus FILE [--out FILE]\n");
  add_model_options(table, options);
  add_inference_options(table, options);
  table.section("measures")
      .common()
      .count("top-words", "N", "words of each topic that coherence looks at", &options.top, {.min = 2});
  add_common_options(table, options.common, "FILE", "where a table of the topics goes; without it: none", false);
  return table;
}

Status settle_evaluate_options(EvaluateOptions& options) {
  return settle_model_options(options);
}

void visit_option_tables(const TableVisit& visit) {
  FitOptions fit;
  InferOptions infer;
  EvaluateOptions evaluate;
  visit(fit_option_table(fit));
  visit(infer_option_table(infer));
  visit(evaluate_option_table(evaluate));
}

std::string options_document() {
  return markdown_of(visit_option_tables);
}

}  // namespace strads::lda
