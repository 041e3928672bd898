// A node of `ridge fit`: all of the program stradsd, with ridge regression as its model.
#include <array>

#include "ridge_fit.hpp"
#include "strads/daemon/daemon.hpp"

namespace ridge {

Result<LoadedModel> load_fit(const std::string& config, const PathRule& path, KeptData& /*kept*/) {
  FitOptions options;
  OptionTable table = fit_option_table(options);
  const std::array files = {&options.input.source.x, &options.input.response.y};
  if (Status taken = take_options(table, config, files, path, [&] { return settle(options, table); }); !taken.ok()) {
    return taken;
  }
  auto model = load_model(options);
  if (!model.ok()) return model.status();
  return LoadedModel{std::move(model).value(), options.engine, {}};
}

}  // namespace ridge

int main(int argc, char** argv) {
  const std::array models = {strads::DaemonModel{"ridge fit", ridge::load_fit}};
  return strads::run_daemon(argc, argv, models);
}
