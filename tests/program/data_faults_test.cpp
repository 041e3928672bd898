// A mapped file that is shortened while a process reads it: said, and nothing left behind. Each case is a forked child.
#include "program/process/data_faults.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "data/files/atomic_file.hpp"
#include "data/files/mapped_file.hpp"
#include "support/temporary_folder.hpp"

namespace strads {
namespace {

using testing::ExitedWithCode;
using testing::KilledBySignal;

constexpr std::size_t kBytes = 100'000;

class DataFaults : public testing::Test {
 protected:
  /// In the child: no core files, and the handler.
  static void begin() {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    install_data_fault_handler("lasso");
  }
  [[nodiscard]] std::shared_ptr<const data::MappedFile> shortened(off_t bytes) const {
    auto file = data::MappedFile::open(path_);
    if (::truncate(path_.c_str(), bytes) != 0) std::abort();
    return file.value();
  }
  /// Reads the last page.
  static int last_byte(const data::MappedFile& file) {
    return *static_cast<const volatile char*>(file.bytes().data() + kBytes - 1);
  }

  test::TemporaryFolder folder_;
  std::string path_ = folder_.write("x.bed", std::string(kBytes, 'x'));
};

TEST_F(DataFaults, NameTheFileAndWhatIsLeftOfIt) {
  EXPECT_EXIT(
      {
        begin();
        last_byte(*shortened(5'000));
      },
      ExitedWithCode(4), "^lasso: error: .*x\\.bed: has 5000 bytes, expected the 100000 .* put the whole file back");
}

TEST_F(DataFaults, OfAFileThatIsGoneOrOfADiskNameTheByte) {
  EXPECT_EXIT(
      {
        begin();
        const auto file = shortened(0);
        ::unlink(path_.c_str());
        last_byte(*file);
      },
      ExitedWithCode(4), "x\\.bed: byte 99999 cannot be read any more, expected 100000 bytes");
}

TEST_F(DataFaults, OfManyThreadsEndTheProcessOnce) {
  EXPECT_EXIT(
      {
        begin();
        const auto file = shortened(0);
        std::vector<std::thread> threads;
        threads.reserve(4);
        std::latch all_are_there(4);
        for (int t = 0; t < 4; ++t) {
          threads.emplace_back([&] {
            all_are_there.arrive_and_wait();
            last_byte(*file);
          });
        }
        for (auto& thread : threads) thread.join();
      },
      ExitedWithCode(4), "^lasso: error: [^\n]*\n$");
}

TEST_F(DataFaults, TakeFilesThatAreBeingWrittenWithThem) {
  EXPECT_EXIT(
      {
        begin();
        auto done = data::AtomicFile::create(folder_.path("done.tsv"));
        (void)done.value().write("whole");
        (void)done.value().commit();
        auto half = data::AtomicFile::create(folder_.path("half.tsv"));
        const data::AtomicFile moved = std::move(half).value();
        last_byte(*shortened(0));
      },
      ExitedWithCode(4), "x\\.bed");
  EXPECT_THAT(folder_.list("."), testing::ElementsAre("done.tsv", "x.bed"));
}

TEST_F(DataFaults, ElsewhereAreWhatTheyAreByDefault) {
  EXPECT_EXIT(
      {
        begin();
        const int file = ::open(path_.c_str(), O_RDONLY);
        const auto* byte = static_cast<const volatile char*>(::mmap(nullptr, kBytes, PROT_READ, MAP_SHARED, file, 0));
        const auto other = shortened(0);
        static_cast<void>(byte[kBytes - 1]);
      },
      KilledBySignal(SIGBUS), "^$");
}

TEST_F(DataFaults, ThatSomebodySentAreSignalsLikeOthers) {
  EXPECT_EXIT(
      {
        begin();
        const auto file = shortened(0);
        ::raise(SIGBUS);
      },
      KilledBySignal(SIGBUS), "^$");
}

}  // namespace
}  // namespace strads
