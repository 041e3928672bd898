// What programs that hold every model need of this one: the model as a daemon loads it, and as a simulator tells of it.
#pragma once

#include <memory>
#include <string>

#include "strads/base/status.hpp"
#include "strads/program/daemon_model.hpp"
#include "strads/program/summary.hpp"
#include "strads/program/trace.hpp"
#include "strads/transport/cluster.hpp"

namespace strads::svm {

struct SvmData;  // svm/problem/svm.hpp

/// "svm fit".
[[nodiscard]] DaemonModel svm_node();

/// A fit of samples in memory; `config`: options of `svm fit` as a config file, those of its input are not looked at.
/// Errors: usage, input.
[[nodiscard]] Result<LoadedModel> svm_on(const std::shared_ptr<const SvmData>& data, const std::string& config);

// --- what the simulator tells of a run ---

/// A row for each barrier: what the best w so far and the dual variables are certified to.
[[nodiscard]] Trace::Columns curve_columns();
/// ", gap / objective 1e-07, 31 support vectors".
[[nodiscard]] std::string quality_text(const Certificate& end);
void add_quality(Summary& summary, const Certificate& end);

}  // namespace strads::svm
