#include "lasso/lasso_node.hpp"

#include "lasso/fit_options.hpp"

namespace strads::lasso {
namespace {

Result<LoadedModel> load(const std::string& config, const PathRule& path) {
  FitOptions options;
  OptionTable table = fit_option_table(options);
  if (Status parsed = table.parse_config_text("options of the driver", config); !parsed.ok()) return parsed;
  for (std::string* name : paths_of(options)) *name = name->empty() ? *name : path(*name);
  if (Status settled = settle_fit_options(options, table); !settled.ok()) return settled;
  auto dataset = load_dataset(options.input);
  if (!dataset.ok()) return dataset.status();
  auto data = prepare_lasso(dataset.value(), options.lasso);
  if (!data.ok()) return data.status();
  return LoadedModel{make_lasso_model(std::move(data).value(), options.lasso), options.engine,
                     [mapped = dataset.value()] { return mapped->mapped_memory(); }};
}

}  // namespace

DaemonModel lasso_node() {
  return {"lasso fit", load};
}

}  // namespace strads::lasso
