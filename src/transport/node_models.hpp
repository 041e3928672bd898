// What a node has read, and the models that it makes of it. Layer: transport.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "strads/transport/cluster.hpp"
#include "transport/reading.hpp"
#include "transport/sockets/sockets.hpp"

namespace strads::transport {

/// Reads the data of the first run, and makes the models of the others of the same data, each on a thread of its own.
/// A model is handed on with the run that it was made for. One alone comes back: where the first run never began, it
/// is kept for the next one.
class NodeModels {
 public:
  using Loading = Reading<LoadedModel>;
  using Loadings = std::map<std::uint32_t, std::unique_ptr<Loading>>;  ///< by run

  struct Made {
    std::uint32_t run = 0;
    Status status;  ///< where it is not ok, there is no model
    EngineOptions engine = {};
    std::shared_ptr<Model> model = nullptr;
    std::uint64_t fingerprint = 0;
  };

  /// `wake` is woken whenever a model is ready.
  explicit NodeModels(std::shared_ptr<Wake> wake) : wake_(std::move(wake)) {}

  /// The data and the model of the first run.
  void load_first(std::function<Result<LoadedModel>()> read);
  /// The model of another run. Empty `request`: that of the first one once more, with other roles. next_made() will
  /// give it. Errors: that of the data, where they could not be read: neither can it be made. REQUIRES:
  /// data_looked_at().
  [[nodiscard]] Status make(std::uint32_t run, const std::string& request);
  /// Whether next_made() has given the first run's model, or its failure.
  [[nodiscard]] bool data_looked_at() const { return data_status_.has_value(); }
  /// One that is ready and was not given yet.
  [[nodiscard]] std::optional<Made> next_made();

  /// The first run did not begin with its model: the next one may.
  void keep_spare(std::shared_ptr<Model> model) { spare_ = std::move(model); }
  /// Bytes of mapped data files, and how many of them are in memory; zeros while nothing is known.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> data_memory() const;
  /// What is still being read, if anything. A node that has left need not wait for it.
  [[nodiscard]] Loadings release_loadings() { return std::move(loadings_); }

 private:
  void load(std::uint32_t run, std::function<Result<LoadedModel>()> load);

  std::shared_ptr<Wake> wake_;
  Loadings loadings_;
  std::optional<Status> data_status_;  ///< of reading the first run's data; empty: not yet
  LoadedModel first_;                  ///< without its model: what else the data are good for
  std::shared_ptr<Model> spare_;       ///< the first run's, which did not begin with it
};

}  // namespace strads::transport
