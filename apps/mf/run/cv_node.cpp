// "mf cv" for a daemon.
#include <memory>
#include <utility>

#include "mf/grid/fit_data.hpp"
#include "mf/mf_node.hpp"
#include "mf/model/mf_model.hpp"
#include "mf/options/cv_options.hpp"
#include "mf/run/mf_memory.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/program_run.hpp"
#include "strads/program/run_cluster.hpp"

namespace strads::mf {
namespace {

Result<LoadedModel> load_grid(const std::string& config, const PathRule& path, KeptData& kept) {
  CvOptions options;
  OptionTable table = cv_option_table(options);
  Status taken =
      take_options(table, config, paths_of(options.fit), path, [&] { return settle_cv_options(options, table); });
  if (!taken.ok()) return taken;
  if (Status fits = check_node_memory(options.fit, grid_sizes(options.plan)); !fits.ok()) return fits;
  // The driver's --threads is its own; what is read here uses this machine's.
  const auto data = load_cv(options.fit.input, options.plan.folds, make_threads(0), {}, kept);
  if (!data.ok()) return data.status();
  if (Status suits = check_blocks(data.value().users, data.value().items, options.fit.engine); !suits.ok())
    return suits;
  const auto maker = std::make_shared<CvModels>(data.value(), options.plan, options.fit.mf, options.fit.engine);
  const auto make = [maker, engine = options.fit.engine](std::size_t fit) -> Result<LoadedModel> {
    LoadedModel loaded;
    loaded.model = maker->make(fit);
    if (loaded.model == nullptr) return Status::input("the ratings cannot be read again");
    loaded.engine = engine;
    // The ratings of a fold are its first fit's. The node asks as long as it runs, and must not keep them for that.
    if (fit == maker->plan().first_of(fit)) {
      loaded.data_memory = [first = std::weak_ptr(std::static_pointer_cast<const MfModel>(loaded.model))] {
        const auto model = first.lock();
        return model == nullptr ? std::pair<std::uint64_t, std::uint64_t>() : bytes_held(*model);
      };
    }
    return loaded;
  };
  auto first_made = make(0);
  if (!first_made.ok()) return first_made.status();
  LoadedModel first = std::move(first_made).value();
  first.second_model = [maker] { return maker->make(0); };
  first.further = [make, size = options.plan.size()](const std::string& request) -> Result<LoadedModel> {
    const auto fit = place_in_list(request, size);
    if (!fit.ok()) return fit.status();
    return make(fit.value());
  };
  return first;
}

}  // namespace

DaemonModel mf_cv_node() {
  return {"mf cv", load_grid};
}

}  // namespace strads::mf
