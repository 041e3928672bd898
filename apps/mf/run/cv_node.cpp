// "mf cv" for a daemon.
#include <memory>
#include <utility>

#include "mf/grid/cv.hpp"
#include "mf/mf_node.hpp"
#include "mf/model/mf_model.hpp"
#include "mf/options/cv_options.hpp"
#include "mf/run/clicks_cv.hpp"
#include "mf/run/mf_memory.hpp"
#include "mf/run/slim_memory.hpp"
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
  const bool slim = options.plan.kind == CvKind::slim;
  Status fits = slim ? check_slim_node_memory(options.fit, grid_sizes(options.plan))
                     : check_node_memory(options.fit, grid_sizes(options.plan));
  if (!fits.ok()) return fits;
  // The driver's --threads is its own; what is read here uses this machine's.
  STRADS_ASSIGN_OR_RETURN(const auto data,
                          load_folds(options.fit.input, options.plan, false, make_threads(0), {}, kept));
  if (Status suits = check_cv_roles(data, options.fit.engine); !suits.ok()) return suits;
  const auto maker =
      std::make_shared<CvModels>(data, options.plan, options.fit.mf, options.fit.engine, options.fit.slim);
  const auto make = [maker, slim, engine = options.fit.engine](std::size_t fit) -> Result<LoadedModel> {
    LoadedModel loaded;
    loaded.model = maker->make(fit);
    if (loaded.model == nullptr) return Status::input("the ratings cannot be read again");
    loaded.engine = engine;
    // The ratings of a fold are its first fit's. The node asks as long as it runs, and must not keep them for that.
    if (!slim && fit == maker->plan().first_of(fit)) {
      loaded.data_memory = [first = std::weak_ptr(std::static_pointer_cast<const MfModel>(loaded.model))] {
        const auto model = first.lock();
        return model == nullptr ? std::pair<std::uint64_t, std::uint64_t>() : bytes_held(*model);
      };
    }
    return loaded;
  };
  STRADS_ASSIGN_OR_RETURN(LoadedModel first, make(0));
  first.second_model = [maker] { return maker->make(0); };
  first.further = [make, size = options.plan.size()](const std::string& request) -> Result<LoadedModel> {
    STRADS_ASSIGN_OR_RETURN(const auto fit, place_in_list(request, size));
    return make(fit);
  };
  return first;
}

}  // namespace

DaemonModel mf_cv_node() {
  return {"mf cv", load_grid};
}

}  // namespace strads::mf
