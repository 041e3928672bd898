#include <memory>

#include "strads/program/program.hpp"
#include "strads/transport/threads.hpp"
#include "transport/thread_pool.hpp"

namespace strads {
namespace {

/// The caller of for_each computes as well, so that the pool has one thread less.
class OwnThreads final : public Chunks {
 public:
  explicit OwnThreads(unsigned threads) : pool_(threads - 1) {}
  void for_each(std::size_t count, const std::function<void(std::size_t)>& piece) override {
    pool_.chunks().for_each(count, piece);
  }

 private:
  transport::ThreadPool pool_;
};

}  // namespace

std::shared_ptr<Chunks> make_threads(unsigned threads) {
  const unsigned wanted = threads_wanted(threads);
  if (wanted == 1) return std::make_shared<SerialChunks>();
  return std::make_shared<OwnThreads>(wanted);
}

}  // namespace strads
