#include "data/files/unfinished_files.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstdint>
#include <cstring>

namespace strads::data {

namespace {

constexpr std::size_t kFilesMax = 16;

enum class Use : std::uint8_t { free, taken, unfinished };

/// The path is a copy: the name that its owner holds may go while a handler reads it.
struct FileSlot {
  std::atomic<Use> use = Use::free;
  std::array<char, PATH_MAX> path{};
};
static_assert(std::atomic<Use>::is_always_lock_free, "a signal handler may not take a lock");

/// Constant initialisation: there before anybody writes, and never destroyed.
constinit std::array<FileSlot, kFilesMax> file_slots{};

}  // namespace

std::size_t note_unfinished_file(const std::string& path) {
  if (path.size() >= PATH_MAX) return kNotNoted;
  for (std::size_t k = 0; k < file_slots.size(); ++k) {
    Use expected = Use::free;
    if (!file_slots[k].use.compare_exchange_strong(expected, Use::taken)) continue;
    std::memcpy(file_slots[k].path.data(), path.c_str(), path.size() + 1);
    file_slots[k].use = Use::unfinished;
    return k;
  }
  return kNotNoted;
}

void forget_unfinished_file(std::size_t number) {
  if (number != kNotNoted) file_slots[number].use = Use::free;
}

void remove_unfinished_files() noexcept {
  for (const FileSlot& slot : file_slots) {
    if (slot.use == Use::unfinished) (void)::unlink(slot.path.data());
  }
}

}  // namespace strads::data
