// Results in the forms of other programs. Formats: docs/OUTPUT.md.
#pragma once

#include <cstdint>
#include <span>

#include "lda/topics/topic_model.hpp"
#include "strads/base/status.hpp"
#include "strads/data/documents.hpp"
#include "strads/program/run_directory.hpp"

namespace strads::lda {

inline constexpr const char* kStateFile = "state.gz";
inline constexpr const char* kDocTopicsFile = "doc-topics.tsv";
inline constexpr const char* kPyldavisFile = "pyldavis.json";

/// Mallet's state, as its --output-state writes it: a line of each token with document, word and topic, all numbered
/// from 0, gzip in pieces.
///   assignments: topic of each token, in the order of the documents' entries, an entry's tokens one after the other
/// Errors: input, with the file and the system's reason.
[[nodiscard]] Status write_mallet_state(RunDirectory& directory, const TopicModel& model, const Documents& documents,
                                        std::span<const std::uint16_t> assignments);

/// Mallet's --output-doc-topics: number from 0, name, and the share of each topic, split by tabs.
///   theta: documents x topics
[[nodiscard]] Status write_doc_topics(RunDirectory& directory, const TopicModel& model, const Documents& documents,
                                      std::span<const float> theta);

/// What pyLDAvis.prepare() takes, by its names: topic_term_dists, doc_topic_dists, doc_lengths, vocab, term_frequency.
/// Documents without words are left out, since it divides by lengths.
[[nodiscard]] Status write_pyldavis(RunDirectory& directory, const TopicModel& model, const Documents& documents,
                                    std::span<const float> theta);

}  // namespace strads::lda
