#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "lasso/options/fit_options.hpp"
#include "lda/options/fit_options.hpp"
#include "mf/options/fit_options.hpp"
#include "strads/daemon/daemon.hpp"
#include "strads_sim/commands.hpp"
#include "sumstats/options/path_options.hpp"
#include "svm/options/fit_options.hpp"

namespace strads::lasso {
namespace {

TEST(OptionsDocument, IsWhatTheOptionTablesSay) {
  const std::string path = std::string(STRADS_SOURCE_DIR) + "/docs/OPTIONS.md";
  const std::string expected = options_document() + "\n" + sumstats::options_document() + "\n" +
                               daemon_options_markdown() + "\n" + mf::options_document() + "\n" +
                               lda::options_document() + "\n" + svm::options_document() + "\n" +
                               simulator::options_document();
  if (std::getenv("STRADS_REWRITE") != nullptr) std::ofstream(path) << expected;
  std::ostringstream found;
  found << std::ifstream(path).rdbuf();
  EXPECT_EQ(found.str(), expected) << "docs/OPTIONS.md is out of date; rewrite it with STRADS_REWRITE=1";
}

}  // namespace
}  // namespace strads::lasso
