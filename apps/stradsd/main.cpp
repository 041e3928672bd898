// The program `stradsd`: a node of a run on several processes. One line per model that it can hold.
#include <array>

#include "lasso/lasso_node.hpp"
#include "lda/lda_node.hpp"
#include "mf/mf_node.hpp"
#include "strads/daemon/daemon.hpp"
#include "sumstats/sumstats_node.hpp"
#include "svm/svm_node.hpp"

int main(int argc, char** argv) {
  const std::array models = {strads::lasso::lasso_node(),
                             strads::lasso::path_node(),
                             strads::lasso::cv_node(),
                             strads::sumstats::sumstats_node(),
                             strads::sumstats::sumstats_fit_node(),
                             strads::mf::mf_node(),
                             strads::mf::mf_cv_node(),
                             strads::lda::lda_node(),
                             strads::svm::svm_node(),
                             strads::svm::svm_cv_node()};
  return strads::run_daemon(argc, argv, models);
}
