// "mf cv" for a daemon.
#include "mf/mf_node.hpp"
#include "mf/model/mf_model.hpp"
#include "mf/options/cv_options.hpp"
#include "mf/run/fit_data.hpp"
#include "strads/program/program_run.hpp"

namespace strads::mf {
namespace {

/// Of all folds together; grid points of a fold share them.
std::pair<std::uint64_t, std::uint64_t> bytes_held_by(const std::vector<std::shared_ptr<const MfModel>>& firsts) {
  std::pair<std::uint64_t, std::uint64_t> sum{0, 0};
  for (const auto& first : firsts) {
    const auto [all, here] = bytes_held(*first);
    sum.first += all;
    sum.second += here;
  }
  return sum;
}

Result<LoadedModel> load_grid(const std::string& config, const PathRule& path) {
  CvOptions options;
  OptionTable table = cv_option_table(options);
  Status taken =
      take_options(table, config, paths_of(options.fit), path, [&] { return settle_cv_options(options, table); });
  if (!taken.ok()) return taken;
  // The driver's --threads is its own; what is read here uses this machine's.
  const auto data = load_cv(options.fit.input, options.plan.folds, make_threads(0), {});
  if (!data.ok()) return data.status();
  if (Status suits = check_blocks(data.value().users, data.value().items, options.fit.engine); !suits.ok())
    return suits;
  auto fits = make_cv_fits(data.value(), options.plan, options.fit.mf, options.fit.engine);
  if (!fits.ok()) return fits.status();
  std::vector<std::shared_ptr<const MfModel>> firsts;
  for (std::size_t f = 0; f < options.plan.size(); f += options.plan.points.size()) {
    firsts.push_back(std::static_pointer_cast<const MfModel>(fits.value()[f]));
  }
  LoadedModel loaded;
  loaded.model = many_models(std::move(fits).value(), options.fit.engine);
  loaded.engine = options.fit.engine;
  loaded.data_memory = [firsts] { return bytes_held_by(firsts); };
  return loaded;
}

}  // namespace

DaemonModel mf_cv_node() {
  return {"mf cv", load_grid};
}

}  // namespace strads::mf
