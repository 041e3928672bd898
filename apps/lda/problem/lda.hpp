// Latent Dirichlet allocation on the engine: what the program `lda` asks of its model. docs/MODELS.md has the
// mathematics.
//
// Token n of document d has a topic z_dn in 0 ... K - 1. c_dk, c_wk and c_k count the tokens of a document, of a word
// and of all documents that have topic k. A document's shares of topics have the prior Dirichlet(alpha), a topic's
// shares of words the prior Dirichlet(beta, ..., beta), and both are integrated out.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lda/problem/held_out.hpp"
#include "strads/base/chunks.hpp"
#include "strads/base/status.hpp"
#include "strads/data/documents.hpp"
#include "strads/engine/options.hpp"

namespace strads {
class Model;    // strads/engine/model.hpp
struct RunEnd;  // strads/engine/progress.hpp
}  // namespace strads

namespace strads::lda {

/// How topics of tokens are drawn.
enum class Sampler : std::uint8_t {
  delayed,   ///< Metropolis-Hastings with the counts of a half-sweep's start (WarpLDA): bits free of S and P (default)
  rotation,  ///< STRADS-Static: documents stay, blocks of words rotate; exact but for c_k of other workers
  stale      ///< data-parallel: counts of other workers are those of the sweep's start
};

/// Topics are kept in 16 bits, two in the bits of a float that is finite.
inline constexpr std::uint32_t kTopicsMax = 32000;
inline constexpr std::uint32_t kProposalsMax = 8;

struct LdaOptions {
  Sampler sampler = Sampler::delayed;
  std::uint32_t topics = 100;         ///< K: 1 ... kTopicsMax
  std::vector<double> alpha;          ///< K numbers above 0; empty: 50 / K each
  double beta = 0.01;                 ///< above 0
  std::uint32_t sweeps = 200;         ///< the run ends after so many
  std::uint32_t proposals = 1;        ///< delayed: M proposals a token and half-sweep, 1 ... kProposalsMax
  bool optimise = false;              ///< alpha (asymmetric) and beta by Minka's fixed point, a step a sweep
  std::uint32_t optimise_after = 20;  ///< sweeps before the first of those steps
  std::uint32_t measure_every = 10;   ///< sweeps between two log joints; the last sweep has one in any case
  /// Sweeps between two perplexities of held-out documents; 0: as many as cost little, by evaluation_interval().
  std::uint32_t evaluate_every = 0;
};

/// What one process knows about the data: the same for every model of a run.
struct LdaData {
  std::shared_ptr<const Documents> documents;
  std::vector<std::uint64_t> token_begins;  ///< documents + 1: the first token of each document
  std::vector<std::uint64_t> word_tokens;   ///< of each word
  std::uint64_t fingerprint = 0;
  std::uint64_t seed = 1;
  std::shared_ptr<Chunks> threads;                 ///< for what is done before the engine runs
  std::shared_ptr<const DocumentHalves> held_out;  ///< null: perplexity is not measured while the run goes on

  [[nodiscard]] std::uint64_t tokens() const { return token_begins.back(); }
  [[nodiscard]] std::uint32_t vocabulary() const { return documents->vocabulary; }
};

/// Errors: input: no token; documents and words are more than 2^32 - 2 together; a document has 2^31 tokens or more.
[[nodiscard]] Result<std::shared_ptr<LdaData>> prepare_lda(std::shared_ptr<const Documents> documents,
                                                           std::uint64_t seed, std::shared_ptr<Chunks> threads);

/// From here on the perplexity of these documents is measured. REQUIRES: words below the vocabulary; no run has begun.
void measure_held_out(LdaData& data, DocumentHalves halves);

/// Sweeps of Gibbs sampling that find the topics of a document: of `lda infer`, `lda evaluate` and of a fit's held-out
/// documents.
inline constexpr std::uint32_t kInferSweeps = 100;
/// What a held-out perplexity may cost of the sweeps, if the user says nothing.
inline constexpr double kEvaluationShare = 0.05;
/// Sweeps from one held-out perplexity to the next while a run goes on, the last sweep left out; 0: there is none. As
/// LdaOptions says, or the smallest multiple of measure_every for which they cost at most kEvaluationShare of the
/// sweeps by counted operations.
[[nodiscard]] std::uint32_t evaluation_interval(const LdaData& data, const LdaOptions& options);
/// Counted operations of one, of the part of it that counts the topics of all tokens, and of a sweep, in the same unit.
[[nodiscard]] double evaluation_work(const LdaData& data, const LdaOptions& options);
[[nodiscard]] double counting_work(const LdaData& data, const LdaOptions& options);
[[nodiscard]] double sweep_work(const LdaData& data, const LdaOptions& options);

/// Errors: usage: a number out of its range, alpha of another length than topics.
[[nodiscard]] Status check_lda_options(const LdaOptions& options);

/// Variables are documents, then words. REQUIRES: check_lda_options().
[[nodiscard]] std::shared_ptr<Model> make_lda_model(std::shared_ptr<const LdaData> data, const LdaOptions& options,
                                                    const EngineOptions& engine);

/// Bytes that a process holds besides the documents: topics and proposals in one order (twice while they are replaced)
/// and where each token is in the other.
[[nodiscard]] std::uint64_t bytes_of_run(std::uint64_t tokens, const LdaOptions& options);

/// What the judge says at a barrier: Certificate::figures. Certificate::objective is minus the log joint of the last
/// measured sweep; infinity cannot travel, so it is 0 before the first.
enum Figure : std::size_t {
  kFigureSweep,      ///< sweeps finished
  kFigureEndsSweep,  ///< 1: this barrier ends one (where the sweep is measured: after that)
  kFigureLogJoint,   ///< natural log of p(words, topics | alpha, beta) a token, of the last measured sweep; NaN: none
  kFigureMeasured,   ///< the sweep that it is of
  kFigureDrift,      ///< error of the totals at the last phase's end: mean over blocks of sum_k |c_k seen - c_k| / T
  kFigureBeta,       ///< beta now
  kFigureAlphaSum,   ///< sum of alpha now
  kFigureTokens,     ///< tokens drawn so far, T a sweep (delayed: its two half-sweeps are one)
  kFigureHeldOut,    ///< perplexity of the held-out documents when it was last measured; NaN: it was not
  kFigureEvaluated,  ///< the sweep that it is of
  kFigures
};

// Why a fit ends.
inline constexpr const char* kStopSweeps = "sweeps";  ///< success

/// The fitted model.
struct LdaSolution {
  std::uint32_t topics = 0;
  std::vector<std::uint16_t> assignments;  ///< topic of each token: documents in order, their entries in order
  std::vector<std::uint64_t> totals;       ///< c_k
  std::vector<double> alpha;               ///< K
  double beta = 0;
  double log_joint = std::numeric_limits<double>::quiet_NaN();  ///< of `assignments`, as the run measured it
  std::uint32_t sweeps = 0;                                     ///< finished
};

/// REQUIRES: end.status.ok().
[[nodiscard]] LdaSolution solution_of(const LdaData& data, const LdaOptions& options, const RunEnd& end);

/// XXH3-64 over the topics of the tokens, alpha and beta; 16 hex digits.
[[nodiscard]] std::string model_hash(const LdaSolution& solution);

/// c_wk as rows of words, V x K. Cost: a pass over the tokens, 4 V K bytes.
[[nodiscard]] std::vector<std::uint32_t> word_topic_counts(const LdaData& data, const LdaSolution& solution);
/// c_dk of documents first ... last - 1 as rows, (last - first) x K.
[[nodiscard]] std::vector<std::uint32_t> document_topic_counts(const LdaData& data, const LdaSolution& solution,
                                                               std::uint64_t first, std::uint64_t last);
/// phi, K x V: (c_wk + beta) / (c_k + V beta).
[[nodiscard]] std::vector<float> phi_of(const LdaData& data, const LdaSolution& solution);
/// theta, documents x K: (c_dk + alpha_k) / (tokens of d + sum of alpha).
[[nodiscard]] std::vector<float> theta_of(const LdaData& data, const LdaSolution& solution, Chunks& chunks);

}  // namespace strads::lda
