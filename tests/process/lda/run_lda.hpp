// Starts the real program `lda` on made-up documents of a few topics.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "process/run_lasso.hpp"
#include "process/small_data.hpp"

namespace strads::test {

inline std::vector<std::string> lda_command(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), std::string(STRADS_BIN_DIR) + "/lda");
  return arguments;
}

/// Runs `lda` to its end.
inline Ended lda(std::vector<std::string> arguments) {
  return Process(lda_command(std::move(arguments))).wait();
}

/// Lines of words a0 ... a9, b0 ... b9, c0 ... c9: mostly of one letter, as if each letter were a topic.
inline std::string made_up_documents(int documents, int words, std::uint64_t seed = 1) {
  Numbers numbers(seed);
  std::string out;
  for (int d = 0; d < documents; ++d) {
    for (int n = 0; n < words; ++n) {
      const int letter = numbers.next() < 0.85 ? d % 3 : static_cast<int>(numbers.next() * 3);
      const int number = static_cast<int>(numbers.next() * numbers.next() * 10);
      out += std::string(n == 0 ? "" : " ") + static_cast<char>('a' + letter) + std::to_string(number);
    }
    out += "\n";
  }
  return out;
}

class LdaFixture : public testing::Test {
 protected:
  LdaFixture() { corpus_ = folder_.write("corpus.txt", made_up_documents(90, 40)); }
  [[nodiscard]] std::vector<std::string> fit_command(const std::string& run,
                                                     const std::vector<std::string>& more) const {
    return with({"fit", "--corpus", corpus_, "--topics", "3", "--alpha", "0.1", "--sweeps", sweeps_, "--out",
                 folder_.path(run)},
                more);
  }
  /// The summary of a fit that ends well.
  [[nodiscard]] std::string summary_of(const std::vector<std::string>& more, const std::string& run) const {
    const auto ended = lda(fit_command(run, more));
    EXPECT_EQ(ended.code, 0) << ended.err;
    return folder_.read(run + "/summary.json");
  }
  [[nodiscard]] std::string hash_of(const std::vector<std::string>& more, const std::string& run) const {
    return json_field(summary_of(more, run), "model_hash");
  }

  Folder folder_;
  std::string corpus_;
  std::string sweeps_ = "30";
};

}  // namespace strads::test
