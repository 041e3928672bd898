// A fitted model of another program as a folder, and back.
#include <algorithm>
#include <cmath>
#include <utility>

#include "lda/library/lda_library.hpp"
#include "lda/options/fit_options.hpp"
#include "lda/topics/topic_model.hpp"
#include "strads/data/arrays.hpp"
#include "strads/program/array_files.hpp"
#include "strads/program/execution_options.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/result_files.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/run_files.hpp"
#include "strads/program/summary.hpp"

namespace strads::lda {
namespace {

/// phi and the counts of words and topics, as `lda fit` has them.
Result<TopicModel> model_of_saved(const SavedTopics& saved) {
  TopicModel model;
  const std::size_t topics = saved.alpha.size();
  const std::size_t words = topics == 0 ? 0 : saved.components.size() / topics;
  const bool fits = words > 0 && words * topics == saved.components.size() && saved.beta > 0 &&
                    (saved.words.empty() || saved.words.size() == words);
  if (!fits) return Status::input("components, alpha, beta and words are not those of one model: nothing is written");
  model.topics = static_cast<std::uint32_t>(topics);
  model.alpha = saved.alpha;
  model.beta = saved.beta;
  model.words = saved.words;
  for (std::size_t w = model.words.size(); w < words; ++w) model.words.push_back(std::to_string(w + 1));
  model.word_tokens.assign(words, 0);
  model.topic_tokens.assign(topics, 0);
  model.phi.resize(saved.components.size());
  for (std::size_t k = 0; k < topics; ++k) {
    const double* const row = saved.components.data() + k * words;
    for (std::size_t w = 0; w < words; ++w) {
      const double tokens = std::round(row[w] - saved.beta);
      if (!(tokens >= 0) || std::abs(row[w] - saved.beta - tokens) > 1e-3) {
        return Status::input("components are no counts of tokens and beta: nothing is written");
      }
      model.word_tokens[w] += static_cast<std::uint64_t>(tokens);
      model.topic_tokens[k] += static_cast<std::uint64_t>(tokens);
    }
    const double divisor = static_cast<double>(model.topic_tokens[k]) + static_cast<double>(words) * saved.beta;
    for (std::size_t w = 0; w < words; ++w) {
      model.phi[k * words + w] = static_cast<float>((std::round(row[w] - saved.beta) + saved.beta) / divisor);
    }
  }
  return model;
}

Summary summary_of_saved(const SavedTopics& saved) {
  Summary summary;
  summary.add("program", "lda fit");
  summary.add(kModelFormat, kTopicFilesFormat);
  summary.add("stop_reason", saved.stop_reason);
  summary.add("finished", saved.finished);
  summary.add("log_joint_per_token", saved.log_joint_per_token);
  summary.add("held_out_perplexity", saved.held_out_perplexity);
  summary.add("sweeps", saved.sweeps);
  summary.add("model_hash", saved.model_hash);
  summary.add("topics", saved.alpha.size());
  summary.add(kBeta, saved.beta);
  summary.add("version", version());
  summary.add("build", build_id());
  return summary;
}

}  // namespace

Status save_topics(const SavedTopics& saved, const std::string& directory, bool force) {
  STRADS_ASSIGN_OR_RETURN(const auto model, model_of_saved(saved));
  if (saved.theta.size() % model.topics != 0) {
    return Status::input("theta has no whole rows of " + std::to_string(model.topics) + " topics: nothing is written");
  }
  const std::vector<std::string> own = {kPhiFile, kThetaFile, kWordsFile, kTopicsFile, kConfigFile};
  STRADS_ASSIGN_OR_RETURN(auto run, RunDirectory::open(directory, force, own));
  const FitOptions defaults;
  if (Status done = write_topic_model(run, model, defaults.exports.top); !done.ok()) return done;
  const std::uint64_t shape[] = {saved.theta.size() / model.topics, model.topics};
  if (Status done = write_array(run, kThetaFile, shape, saved.theta); !done.ok()) return done;
  if (Status done = run.write(kConfigFile, saved.config); !done.ok()) return done;
  return run.finish(summary_of_saved(saved));
}

Result<LoadedTopics> load_topics(const std::string& directory) {
  LoadedTopics out;
  STRADS_ASSIGN_OR_RETURN(auto model, read_topic_model(directory));
  const std::string more[] = {kThetaFile, kConfigFile};
  if (Status whole = check_run_files(directory, more); !whole.ok()) return whole;
  STRADS_ASSIGN_OR_RETURN(auto theta, read_npy(directory + "/" + kThetaFile));
  if (theta.shape.size() != 2 || theta.shape[1] != model.topics) {
    return Status::input(directory + "/" + kThetaFile + ": has no rows of " + std::to_string(model.topics) +
                         " topics; expected all files of one run");
  }
  FitOptions options;
  OptionTable table = fit_option_table(options);
  if (Status read = table.parse_config(directory + "/" + kConfigFile); !read.ok()) return read;
  STRADS_ASSIGN_OR_RETURN(out.summary, read_file(directory + "/" + kSummaryFile));
  SavedTopics& topics = out.topics;
  topics.config = table.config(kExecutionSections);
  topics.alpha = model.alpha;
  topics.beta = model.beta;
  topics.theta = std::move(theta.values);
  // phi (c_k + V beta) is a count of tokens and beta, up to rounding.
  const std::size_t words = model.words.size();
  topics.components.resize(model.phi.size());
  for (std::size_t k = 0; k < model.topics; ++k) {
    const double whole = static_cast<double>(model.topic_tokens[k]) + static_cast<double>(words) * model.beta;
    for (std::size_t w = 0; w < words; ++w) {
      const double tokens = std::round(double{model.phi[k * words + w]} * whole - model.beta);
      topics.components[k * words + w] = std::max(tokens, 0.0) + model.beta;
    }
  }
  topics.words = std::move(model.words);
  out.phi = std::move(model.phi);
  return out;
}

}  // namespace strads::lda
