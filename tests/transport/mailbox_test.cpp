#include "transport/mailbox.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <string>
#include <thread>

namespace strads::transport {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

TEST(Mailbox, GivesEverythingInTheOrderOfArrival) {
  Mailbox<std::string> mailbox;
  mailbox.push("a");
  mailbox.push("b");
  EXPECT_EQ(mailbox.pop_all(), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(mailbox.pop_all(nanoseconds(0)).empty());
}

TEST(Mailbox, TakesItemsThatCanOnlyBeMoved) {
  Mailbox<std::unique_ptr<int>> mailbox;
  mailbox.push(std::make_unique<int>(3));
  EXPECT_EQ(*mailbox.pop_all().at(0), 3);
}

TEST(Mailbox, GivesNothingWhenTheWaitIsOver) {
  Mailbox<int> mailbox;
  const auto before = std::chrono::steady_clock::now();
  EXPECT_TRUE(mailbox.pop_all(milliseconds(2)).empty());
  EXPECT_GE(std::chrono::steady_clock::now() - before, milliseconds(2));
}

/// Whether the system has put the thread to sleep.
bool sleeps(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string line;
  std::getline(file, line);
  return line.find(") S ") != std::string::npos;
}

TEST(Mailbox, AWaitingConsumerIsWokenByAnItem) {
  Mailbox<int> mailbox;
  std::thread producer([&mailbox, consumer = ::gettid()] {
    while (!sleeps(consumer)) std::this_thread::yield();
    mailbox.push(7);
  });
  EXPECT_EQ(mailbox.pop_all(hours(1)), std::vector<int>{7});
  producer.join();
}

TEST(Mailbox, CloseWakesTheConsumerAndKeepsWhatIsInside) {
  Mailbox<int> mailbox;
  mailbox.push(1);
  mailbox.close();
  mailbox.push(2);
  EXPECT_TRUE(mailbox.closed());
  EXPECT_EQ(mailbox.pop_all(), std::vector<int>{1});
  EXPECT_TRUE(mailbox.pop_all().empty());
  EXPECT_TRUE(mailbox.pop_all(hours(1)).empty());
}

TEST(Mailbox, AWaitingConsumerIsWokenByClose) {
  Mailbox<int> mailbox;
  std::thread closer([&] { mailbox.close(); });
  EXPECT_TRUE(mailbox.pop_all().empty());
  closer.join();
}

TEST(MailboxStress, NothingIsLostOrReorderedWithinAProducer) {
  constexpr int kProducers = 4;
  constexpr int kItems = 3000;
  Mailbox<std::pair<int, int>> mailbox;
  std::vector<std::thread> producers;
  for (int p = 0; p < kProducers; ++p) {
    producers.emplace_back([&mailbox, p] {
      for (int i = 0; i < kItems; ++i) {
        mailbox.push({p, i});
        if (i % 97 == 0) std::this_thread::yield();
      }
    });
  }
  std::vector<int> next(kProducers, 0);
  for (int received = 0; received < kProducers * kItems;) {
    for (const auto& [producer, item] : mailbox.pop_all()) {
      ASSERT_EQ(item, next[static_cast<std::size_t>(producer)]++);
      ++received;
    }
  }
  for (std::thread& producer : producers) producer.join();
  EXPECT_TRUE(mailbox.pop_all(nanoseconds(0)).empty());
}

}  // namespace
}  // namespace strads::transport
