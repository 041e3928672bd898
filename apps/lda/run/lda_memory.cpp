#include "lda/run/lda_memory.hpp"

#include <string>

namespace strads::lda {
namespace {

constexpr std::uint64_t kEntryBytes = 8;      ///< word and count
constexpr std::uint64_t kDocumentBytes = 16;  ///< where its entries and its tokens begin
constexpr std::uint64_t kNameBytes = 48;      ///< of a word, and its tokens
constexpr std::uint64_t kTopicBytes = 2;      ///< of a token, as a node reports it

Result<DocumentsShape> shape_of(const FitOptions& options, Look look) {
  if (options.in_memory != nullptr) {
    const Documents& held = *options.in_memory;
    return DocumentsShape{held.size(), held.vocabulary, held.words.size(), held.tokens, true, 0};
  }
  SerialChunks serial;
  return look_at_documents(options.corpus.input, look == Look::thorough, serial);
}

}  // namespace

ProcessMemory lda_memory(const DocumentsShape& shape, const LdaOptions& options, bool computes, bool writes) {
  ProcessMemory memory;
  const std::uint64_t documents = shape.entries * kEntryBytes + shape.documents * kDocumentBytes;
  memory.parts.push_back({"documents", 0, documents});
  memory.parts.push_back({"words", 0, shape.vocabulary * kNameBytes});
  memory.reading = documents + shape.reading_bytes;
  if (computes) memory.parts.push_back({"topics of the tokens", 0, bytes_of_run(shape.tokens, options)});
  if (writes) {
    const std::uint64_t topics = options.topics;
    constexpr std::uint64_t kReports = 3;  // in pieces, gathered, and as a solution
    memory.parts.push_back({"topics, as they are reported", 0, kReports * kTopicBytes * shape.tokens});
    // Counts and phi, each 4 bytes; phi once more by words where held-out documents are asked for.
    memory.parts.push_back({"topics x words", 0, 2 * 4 * topics * shape.vocabulary});
    memory.parts.push_back({"documents x topics", 0, 4 * topics * shape.documents});
  }
  return memory;
}

Result<MemoryPlan> plan_topics(const FitOptions& options, Look look) {
  STRADS_ASSIGN_OR_RETURN(const auto shape, shape_of(options, look));
  MemoryPlan plan;
  plan.shape = std::to_string(shape.documents) + " documents, " + (shape.exact ? "" : "at least ") +
               std::to_string(shape.tokens) + " tokens of " + std::to_string(shape.vocabulary) + " words, " +
               std::to_string(options.lda.topics) + " topics";
  const unsigned threads = options.machine.threads;
  if (!options.cluster.wanted()) {
    plan.add(lda_memory(shape, options.lda, true, true), "this process", 1, true, threads);
    return plan;
  }
  const bool local = options.cluster.processes > 0;
  const std::uint64_t nodes = local ? options.cluster.processes : options.cluster.nodes;
  plan.add(lda_memory(shape, options.lda, true, false), "node", nodes, local, threads);
  plan.add(lda_memory(shape, options.lda, false, true), "driver", 1, true, threads);
  return plan;
}

Status check_node_memory(const FitOptions& options) {
  if (!options.memory_check) return {};
  const auto shape = shape_of(options, Look::quick);
  if (!shape.ok()) return {};  // the reader says what is wrong
  MemoryPlan plan;
  plan.add(lda_memory(shape.value(), options.lda, true, false), "this node", 1, true, 1);
  return check_memory(plan, true);
}

}  // namespace strads::lda
