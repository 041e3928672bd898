#include "lda/run/lda_memory.hpp"

#include <algorithm>
#include <string>
#include <thread>

namespace strads::lda {
namespace {

constexpr std::uint64_t kEntryBytes = 8;      ///< word and count
constexpr std::uint64_t kDocumentBytes = 16;  ///< where its entries and its tokens begin
constexpr std::uint64_t kNameBytes = 48;      ///< of a word, and its tokens
constexpr std::uint64_t kTopicBytes = 2;      ///< of a token, as a node reports it

/// What a fit reads: the corpus, and the documents of --test.
struct CorpusShape {
  DocumentsShape corpus, test;
};

Result<DocumentsShape> shape_of_corpus(const FitOptions& options, Look look) {
  if (options.in_memory != nullptr) {
    const Documents& held = *options.in_memory;
    return DocumentsShape{held.size(), held.vocabulary, held.words.size(), held.tokens, true, 0};
  }
  SerialChunks serial;
  return look_at_documents(options.corpus.input, look == Look::thorough, serial);
}

Result<CorpusShape> shape_of(const FitOptions& options, Look look) {
  CorpusShape shape;
  STRADS_ASSIGN_OR_RETURN(shape.corpus, shape_of_corpus(options, look));
  if (options.test.empty()) return shape;
  SerialChunks serial;
  STRADS_ASSIGN_OR_RETURN(shape.test, look_at_documents(test_input(options), look == Look::thorough, serial));
  return shape;
}

/// Blocks of held-out documents that one process computes at a time, at the most.
std::uint64_t pages_at_once(const FitOptions& options) {
  const unsigned threads = options.machine.threads > 0 ? options.machine.threads : std::thread::hardware_concurrency();
  return std::min<std::uint64_t>(options.engine.workers, std::max(threads, 1U));
}

/// Of one process. `pages`: blocks of held-out documents that are computed at a time.
ProcessMemory memory_of(const CorpusShape& shape, const FitOptions& options, bool computes, bool writes,
                        std::uint64_t pages) {
  ProcessMemory memory = lda_memory(shape.corpus, options.lda, computes, writes);
  const bool has_test = !options.test.empty();
  if (!has_test && options.held_out <= 0) return memory;
  const DocumentsShape& from = has_test ? shape.test : shape.corpus;
  const double share = has_test ? 1 : options.held_out;
  const auto part = [share](std::uint64_t all) { return static_cast<std::uint64_t>(share * static_cast<double>(all)); };
  // The documents, and their halves, which have each pair of document and word up to twice.
  const std::uint64_t documents = part(from.entries) * kEntryBytes * 3 + part(from.documents) * kDocumentBytes * 3;
  memory.parts.push_back({"held-out documents", 0, documents});
  if (has_test) memory.reading += from.reading_bytes;
  if (computes) {
    const std::uint64_t of_page = shape.corpus.vocabulary * (4 + 4 * std::uint64_t{options.lda.topics});
    // How often they are evaluated, and of how many words, the documents say.
    memory.guessed = pages * of_page;
    memory.parts.push_back({"held-out documents' words x topics", 0, memory.guessed});
  }
  if (writes) memory.parts.push_back({"held-out documents x topics", 0, 4 * options.lda.topics * part(from.documents)});
  return memory;
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
    // Counts and phi, each 4 bytes.
    memory.parts.push_back({"topics x words", 0, 2 * 4 * topics * shape.vocabulary});
    memory.parts.push_back({"documents x topics", 0, 4 * topics * shape.documents});
  }
  return memory;
}

Result<MemoryPlan> plan_topics(const FitOptions& options, Look look) {
  STRADS_ASSIGN_OR_RETURN(const auto all, shape_of(options, look));
  const DocumentsShape& shape = all.corpus;
  MemoryPlan plan;
  plan.shape = std::to_string(shape.documents) + " documents, " + (shape.exact ? "" : "at least ") +
               std::to_string(shape.tokens) + " tokens of " + std::to_string(shape.vocabulary) + " words, " +
               std::to_string(options.lda.topics) + " topics";
  if (!options.test.empty()) plan.shape += ", " + std::to_string(all.test.documents) + " documents of --test";
  const unsigned threads = options.machine.threads;
  const std::uint64_t pages = pages_at_once(options);
  if (!options.cluster.wanted()) {
    plan.add(memory_of(all, options, true, true, pages), "this process", 1, true, threads);
    return plan;
  }
  const bool local = options.cluster.processes > 0;
  const std::uint64_t nodes = local ? options.cluster.processes : options.cluster.nodes;
  plan.add(memory_of(all, options, true, false, pages), "node", nodes, local, threads);
  plan.add(memory_of(all, options, false, true, 0), "driver", 1, true, threads);
  return plan;
}

Status check_node_memory(const FitOptions& options) {
  if (!options.memory_check) return {};
  const auto shape = shape_of(options, Look::quick);
  if (!shape.ok()) return {};  // the reader says what is wrong
  MemoryPlan plan;
  plan.add(memory_of(shape.value(), options, true, false, pages_at_once(options)), "this node", 1, true, 1);
  return check_memory(plan, true);
}

}  // namespace strads::lda
