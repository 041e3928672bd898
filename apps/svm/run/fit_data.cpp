#include "svm/run/fit_data.hpp"

#include <utility>

#include "strads/engine/role_limits.hpp"

namespace strads::svm {

Result<LoadedSamples> load_samples(const FitOptions& options, KeptData& kept) {
  const InputOptions& input = options.input;
  STRADS_ASSIGN_OR_RETURN(auto dataset, kept.get(input, files_of(input), [&] { return load_dataset(input); }));
  STRADS_ASSIGN_OR_RETURN(auto loaded, rows_of(std::move(dataset), options.class_weights));
  const SvmData& data = *loaded.data;
  if (Status roles = check_roles(options.engine, data.samples() * data.problems()); !roles.ok()) return roles;
  return loaded;
}

}  // namespace strads::svm
