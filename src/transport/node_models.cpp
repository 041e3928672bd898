#include "transport/node_models.hpp"

#include "engine/session/node_session.hpp"

namespace strads::transport {

void NodeModels::load(std::uint32_t run, std::function<Result<LoadedModel>()> load) {
  loadings_[run] = std::make_unique<Loading>(
      std::move(load), [](const LoadedModel& loaded) { return loaded.model->fingerprint(); }, wake_);
}

void NodeModels::load_first(std::function<Result<LoadedModel>()> read) {
  load(engine::kFirstRun, std::move(read));
}

Status NodeModels::make(std::uint32_t run, const std::string& request) {
  if (!data_status_->ok()) return *data_status_;
  if (!request.empty()) {
    load(run, [make = first_.further, request]() -> Result<LoadedModel> {
      if (!make) return Status::cluster("this program hosts one run");
      return make(request);
    });
    return {};
  }
  load(run,
       [spare = std::exchange(spare_, nullptr), make = first_.second_model,
        engine = first_.engine]() -> Result<LoadedModel> {
         LoadedModel again;
         again.engine = engine;
         again.model = spare == nullptr && make ? make() : spare;
         if (again.model == nullptr) return Status::cluster("this program cannot go on after a loss");
         return again;
       });
  return {};
}

std::optional<NodeModels::Made> NodeModels::next_made() {
  for (auto loading = loadings_.begin(); loading != loadings_.end(); ++loading) {
    auto ended = loading->second->release_result();
    if (!ended.has_value()) continue;
    const std::uint32_t run = loading->first;
    loadings_.erase(loading);
    const Status status = ended->loaded.ok() ? Status() : ended->loaded.status();
    if (run == engine::kFirstRun) data_status_ = status;
    if (!status.ok()) return Made{run, status};
    LoadedModel loaded = std::move(ended->loaded).value();
    Made made{run, {}, loaded.engine, std::exchange(loaded.model, nullptr), ended->fingerprint};
    if (run == engine::kFirstRun) first_ = std::move(loaded);
    return made;
  }
  return std::nullopt;
}

std::pair<std::uint64_t, std::uint64_t> NodeModels::data_memory() const {
  return first_.data_memory ? first_.data_memory() : std::pair<std::uint64_t, std::uint64_t>{};
}

}  // namespace strads::transport
