// What a fit is about to write, looked at by arithmetic that shares nothing with the model.
#pragma once

#include <span>

#include "lda/problem/lda.hpp"

namespace strads::lda {

/// ln p(words, topics | alpha, beta), from the topics of the tokens by the formula as it stands (Griffiths and Steyvers
/// 2004, eqs. 2 and 3, for an alpha of each topic), with std::lgamma. Cost: 8 K (V + 1) bytes, a pass over the tokens.
[[nodiscard]] double plain_log_joint(const Documents& documents, const LdaSolution& solution);

/// Recounts: every topic is below K, the totals are sums of the topics, their sum is the number of tokens, and the log
/// joint that the run measured is that of plain_log_joint() within 1e-9 of its size. Errors: internal: which is not.
[[nodiscard]] Status check_topics(const LdaData& data, const LdaSolution& solution);

}  // namespace strads::lda
