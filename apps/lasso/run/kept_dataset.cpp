#include "lasso/run/kept_dataset.hpp"

#include <string>
#include <utility>

namespace strads::lasso {
namespace {

using Datasets = std::vector<std::shared_ptr<const Dataset>>;

/// All that decides what is read, besides the content of the files.
struct DatasetKey {
  InputOptions input;
  std::vector<std::string> traits;  ///< empty: one, which `input` names

  friend bool operator==(const DatasetKey&, const DatasetKey&) = default;
};

}  // namespace

Result<Datasets> traits_of(const PathCommandOptions& options, KeptData& kept) {
  const InputOptions& input = options.fit.input;
  return kept.get(DatasetKey{input, options.traits}, files_of(input), [&] { return load_traits(options); });
}

}  // namespace strads::lasso
