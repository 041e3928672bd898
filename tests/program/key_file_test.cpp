#include "program/cluster/key_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "strads/program/execution_options.hpp"
#include "support/temporary_folder.hpp"

namespace strads {
namespace {

using test::TemporaryFolder;
using testing::AllOf;
using testing::HasSubstr;

class AKeyFile : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(write_new_key(path_).ok()); }
  Result<std::optional<RunKey>> key(const KeyOptions& options, const std::string& endpoint = "tcp://127.0.0.1:0",
                                    KeyHolder holder = KeyHolder::driver) {
    return key_of_run(options, endpoint, holder);
  }
  TemporaryFolder folder_;
  std::string path_ = folder_.path("run.key");
};

TEST_F(AKeyFile, IsItsOwnersAlone) {
  struct stat facts {};
  ASSERT_EQ(::stat(path_.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777U, 0600U);
  const auto read = key({path_, false});
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_FALSE(read.value()->driver_secret.empty());
}

TEST_F(AKeyFile, IsNeverWrittenOver) {
  const auto before = folder_.read("run.key");
  const Status again = write_new_key(path_);
  EXPECT_EQ(again.code(), StatusCode::input);
  EXPECT_THAT(again.message(), AllOf(HasSubstr(path_), HasSubstr("exists"), HasSubstr("remove it first")));
  EXPECT_EQ(folder_.read("run.key"), before);
}

TEST_F(AKeyFile, ThatOthersCanReadOrChangeIsRefusedWithWhatToDo) {
  for (const mode_t mode : {0640U, 0604U, 0620U, 0602U, 0610U}) {
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    const auto read = key({path_, false});
    EXPECT_EQ(read.status().code(), StatusCode::input);
    EXPECT_THAT(read.status().message(), AllOf(HasSubstr("expected 0600"), HasSubstr("chmod 600 " + path_)));
  }
  ASSERT_EQ(::chmod(path_.c_str(), 0400), 0);
  EXPECT_TRUE(key({path_, false}).ok());
}

TEST_F(AKeyFile, OfAnotherUserIsRefused) {
  if (::chown(path_.c_str(), ::geteuid() + 1, static_cast<gid_t>(-1)) != 0) {
    // Only root can give a file away; there are files of root's for others.
    if (::geteuid() == 0) FAIL() << "root may give files away";
    EXPECT_THAT(read_key_file("/etc/hostname").status().message(), HasSubstr("belongs to another user"));
    return;
  }
  EXPECT_THAT(read_key_file(path_).status().message(), HasSubstr("belongs to another user"));
}

TEST_F(AKeyFile, ThatIsMissingOrNoneIsNamed) {
  EXPECT_THAT(key({folder_.path("absent"), false}).status().message(),
              AllOf(HasSubstr("absent: No such file"), HasSubstr("stradsd --new-key")));
  const auto other = folder_.write("other", "hello\n");
  ASSERT_EQ(::chmod(other.c_str(), 0600), 0);
  EXPECT_THAT(key({other, false}).status().message(), HasSubstr("other: no key of a run"));
}

TEST_F(AKeyFile, OfANodeIsNotEnoughForTheDriver) {
  RunKey of_node = read_key_file(path_).value();
  of_node.driver_secret.clear();
  const auto path = folder_.write("node.key", text_of(of_node));
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  EXPECT_THAT(key({path, false}).status().message(), HasSubstr("driver-secret"));
  EXPECT_TRUE(key({path, false}, "tcp://127.0.0.1:0", KeyHolder::node).ok());
}

TEST_F(AKeyFile, IsNeededWhereOthersMayReachTheEndpoint) {
  const std::vector<std::string> endpoints = {"tcp://127.0.0.1:0", "ipc:///tmp/driver",
                                              "ipc://" + folder_.path("absent/driver")};
  for (const std::string& endpoint : endpoints) {
    const auto none = key({}, endpoint);
    EXPECT_EQ(none.status().code(), StatusCode::usage) << endpoint;
    EXPECT_THAT(none.status().message(),
                AllOf(HasSubstr(endpoint), HasSubstr("stradsd --new-key FILE"), HasSubstr("--insecure")));
    EXPECT_TRUE(key({path_, false}, endpoint).value().has_value());
    EXPECT_FALSE(key({"", true}, endpoint).value().has_value());
  }
}

TEST_F(AKeyFile, IsNotNeededInAFolderOfOnesOwn) {
  ASSERT_EQ(::chmod(folder_.path(".").c_str(), 0700), 0);
  const auto none = key({}, "ipc://" + folder_.path("driver"));
  ASSERT_TRUE(none.ok()) << none.status().message();
  EXPECT_FALSE(none.value().has_value());
  ASSERT_EQ(::chmod(folder_.path(".").c_str(), 0750), 0);
  EXPECT_FALSE(key({}, "ipc://" + folder_.path("driver")).ok());
  ASSERT_EQ(::chmod(folder_.path(".").c_str(), 0700), 0);
}

}  // namespace
}  // namespace strads
