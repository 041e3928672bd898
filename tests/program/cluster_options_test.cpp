// Options of a run on several processes, and what the option table has for them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strads/program/execution_options.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_cluster.hpp"
#include "support/temporary_folder.hpp"

namespace strads {
namespace {

using test::TemporaryFolder;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct Settings {
  std::string file;
  CommonOptions common;
  ClusterOptions cluster;
};

OptionTable table_of(Settings& settings) {
  OptionTable table("demo run", "usage: demo run\n");
  table.section("input").text("file", "FILE", "what to read", &settings.file);
  add_cluster_options(table, settings.cluster);
  add_common_options(table, settings.common, "DIR", "results", false);
  return table;
}

class ClusterOptionsTest : public testing::Test {
 protected:
  Status parse(const std::vector<std::string>& arguments) {
    settings_ = Settings{};
    OptionTable table = table_of(settings_);
    if (Status parsed = table.parse(arguments); !parsed.ok()) return parsed;
    printed_ = table.config();
    return check_cluster_options(table, settings_.cluster);
  }
  std::string refusal(const std::vector<std::string>& arguments) {
    const Status status = parse(arguments);
    EXPECT_EQ(status.code(), StatusCode::usage) << status.message();
    return status.message();
  }
  Status parse_file(const std::string& config, std::vector<std::string> flags = {}) {
    flags.push_back("--config=" + folder_.write("run.ini", config));
    return parse(flags);
  }
  const ClusterOptions& cluster() const { return settings_.cluster; }

  TemporaryFolder folder_;
  Settings settings_;
  std::string printed_;
};

TEST_F(ClusterOptionsTest, AreEmbeddedByDefault) {
  ASSERT_TRUE(parse({}).ok());
  EXPECT_FALSE(cluster().wanted());
  EXPECT_EQ(transport_name(cluster()), "embedded");
}

TEST_F(ClusterOptionsTest, StartTwoProcessesWhenNoNumberIsGiven) {
  ASSERT_TRUE(parse({"--processes"}).ok());
  EXPECT_EQ(cluster().processes, 2U);
  ASSERT_TRUE(parse({"--processes", "--file", "x"}).ok());
  EXPECT_EQ(cluster().processes, 2U);
  EXPECT_EQ(settings_.file, "x");
  EXPECT_EQ(cluster_text(cluster()), "2 processes over ipc");
}

TEST_F(ClusterOptionsTest, TakeTheNumberOfProcessesInBothForms) {
  ASSERT_TRUE(parse({"--processes=4"}).ok());
  EXPECT_EQ(cluster().processes, 4U);
  ASSERT_TRUE(parse({"--processes", "1"}).ok());
  EXPECT_EQ(cluster_text(cluster()), "1 process over ipc");
}

TEST_F(ClusterOptionsTest, RefuseNumbersOfProcessesThatAreNone) {
  EXPECT_EQ(refusal({"--processes=many"}), "--processes: found 'many', expected a whole number in [0, 1024]");
  EXPECT_THAT(refusal({"--processes", "1025"}), HasSubstr("[0, 1024]"));
  EXPECT_THAT(refusal({"--processes", "--processes"}), HasSubstr("given twice"));
}

TEST_F(ClusterOptionsTest, ListenWhereTheUserSays) {
  for (const char* endpoint : {"tcp://0.0.0.0:5570", "tcp://*:0", "tcp://[::1]:5570", "ipc:///tmp/driver"}) {
    EXPECT_TRUE(parse({"--listen", endpoint, "--nodes", "3"}).ok()) << endpoint;
    EXPECT_TRUE(cluster().wanted());
  }
  EXPECT_EQ(cluster_text(cluster()), "3 nodes over ipc");
  ASSERT_TRUE(parse({"--listen", "tcp://*:0"}).ok());
  EXPECT_EQ(cluster_text(cluster()), "1 node over tcp");
}

TEST_F(ClusterOptionsTest, RefuseEndpointsOfNoKnownForm) {
  for (const char* endpoint : {"5570", "tcp://host", "tcp://host:", "tcp://:5570", "tcp://host:65536", "tcp://host:x",
                               "udp://host:1", "ipc://"}) {
    EXPECT_THAT(refusal({"--listen", endpoint}), AllOf(HasSubstr(endpoint), HasSubstr("expected tcp://ADDRESS:PORT")));
  }
  EXPECT_THAT(refusal({"--listen", "ipc:///tmp/" + std::string(120, 'x')}), HasSubstr("107 bytes"));
}

TEST_F(ClusterOptionsTest, RefuseTwoWaysOfStartingNodes) {
  EXPECT_THAT(refusal({"--processes", "--listen", "tcp://*:0"}), HasSubstr("exclude each other"));
  EXPECT_THAT(refusal({"--processes", "--nodes", "3"}), HasSubstr("exclude each other"));
  EXPECT_THAT(refusal({"--processes", "--key", "run.key"}), HasSubstr("exclude each other"));
  EXPECT_THAT(refusal({"--processes", "--endpoint-file", "e"}), HasSubstr("exclude each other"));
  EXPECT_THAT(refusal({"--listen", "tcp://*:0", "--key", "run.key", "--insecure"}), HasSubstr("exclude each other"));
}

TEST_F(ClusterOptionsTest, RefuseOptionsOfAListenerWithoutOne) {
  EXPECT_EQ(refusal({"--nodes", "2"}), "--nodes needs --listen ENDPOINT");
  EXPECT_EQ(refusal({"--expect", "a,b"}), "--expect needs --listen ENDPOINT");
  EXPECT_EQ(refusal({"--key", "run.key"}), "--key needs --listen ENDPOINT");
  EXPECT_EQ(refusal({"--insecure"}), "--insecure needs --listen ENDPOINT");
  EXPECT_EQ(refusal({"--endpoint-file", "e"}), "--endpoint-file needs --listen ENDPOINT");
}

TEST_F(ClusterOptionsTest, RefuseMoreNamesThanNodes) {
  EXPECT_THAT(refusal({"--listen", "tcp://*:0", "--nodes", "2", "--expect", "a,b,c"}),
              HasSubstr("--expect names 3 nodes, but --nodes is 2"));
  ASSERT_TRUE(parse({"--listen", "tcp://*:0", "--nodes", "3", "--expect", "a,b,c"}).ok());
  EXPECT_THAT(cluster().expect, ElementsAre("a", "b", "c"));
}

TEST_F(ClusterOptionsTest, RefuseLeasesShorterThanThreeBeats) {
  EXPECT_THAT(refusal({"--lease", "2"}), HasSubstr("expected a number in [3, 86400]"));
  EXPECT_THAT(refusal({"--start-seconds", "0"}), HasSubstr("in (0, 86400]"));
}

TEST_F(ClusterOptionsTest, ComeFromAConfigFile) {
  ASSERT_TRUE(parse_file("[cluster]\nprocesses = 3\nlease = 5\n").ok());
  EXPECT_EQ(cluster().processes, 3U);
  EXPECT_EQ(cluster().lease_seconds, 5);
}

TEST_F(ClusterOptionsTest, OfAFlagSetAsideTheOtherWayOfTheFile) {
  const std::string hosts =
      "[cluster]\nlisten = tcp://0.0.0.0:5570\nnodes = 3\nexpect = a,b,c\nkey = run.key\nendpoint-file = e\n";
  ASSERT_TRUE(parse_file(hosts, {"--processes"}).ok());
  EXPECT_EQ(cluster_text(cluster()), "2 processes over ipc");
  ASSERT_TRUE(parse_file(hosts, {"--processes=0"}).ok());
  EXPECT_FALSE(cluster().wanted());
  ASSERT_TRUE(parse_file(hosts, {"--listen", "tcp://10.0.0.1:0"}).ok());
  EXPECT_EQ(cluster().listen, "tcp://10.0.0.1:0");
  EXPECT_EQ(cluster().nodes, 3U);
  EXPECT_EQ(cluster().keys.key, "run.key");
  ASSERT_TRUE(parse_file(hosts, {"--insecure"}).ok());
  EXPECT_EQ(cluster().keys.key, "");
  ASSERT_TRUE(parse_file("processes = 2\nstradsd = /opt/stradsd\n", {"--listen", "tcp://*:0", "--nodes=2"}).ok());
  EXPECT_EQ(cluster_text(cluster()), "2 nodes over tcp");
}

TEST_F(ClusterOptionsTest, PrintedReadBackAsTheSame) {
  const std::vector<std::vector<std::string>> cases = {
      {}, {"--processes=4", "--lease=9"}, {"--listen=tcp://*:0", "--nodes=2", "--expect=a"}, {"--listen=ipc:///tmp/d"}};
  for (const auto& arguments : cases) {
    ASSERT_TRUE(parse(arguments).ok());
    const auto first = printed_;
    const auto text = cluster_text(cluster());
    const Status again = parse_file(first);
    ASSERT_TRUE(again.ok()) << again.message() << "\n" << first;
    EXPECT_EQ(cluster_text(cluster()), text) << first;
    EXPECT_EQ(printed_, first);
  }
}

TEST_F(ClusterOptionsTest, AreNotToldToTheNodes) {
  OptionTable table = table_of(settings_);
  ASSERT_TRUE(table.parse(std::vector<std::string>{"--file=x", "--processes", "--out=here", "--quiet"}).ok());
  const auto told = table.config(kExecutionSections);
  EXPECT_THAT(told, HasSubstr("file = x"));
  EXPECT_THAT(told, AllOf(Not(HasSubstr("processes")), Not(HasSubstr("out")), Not(HasSubstr("quiet"))));
}

TEST_F(ClusterOptionsTest, ShowTheirOptionalValueInHelpAndDocument) {
  OptionTable table = table_of(settings_);
  EXPECT_THAT(table.help(), HasSubstr("--processes[=N]"));
  EXPECT_THAT(table.help_all(), HasSubstr("default 0; 2 when"));
  EXPECT_THAT(table.markdown(), HasSubstr("| `--processes` | N in [0, 1024], 2 when left out | `0` | cluster |"));
}

TEST(ConfigText, IsReadLikeAFileOfThatName) {
  Settings settings;
  OptionTable table = table_of(settings);
  ASSERT_TRUE(table.parse_config_text("the driver's options", "[input]\nfile = a b.csv\n").ok());
  EXPECT_EQ(settings.file, "a b.csv");
  const Status refused = table.parse_config_text("the driver's options", "\nfiel = x\n");
  EXPECT_EQ(refused.message(), "the driver's options:2: unknown key 'fiel'; did you mean file?");
}

TEST(BuildId, IsSixteenHexDigitsAndTheSameWhenAskedTwice) {
  EXPECT_EQ(build_id().size(), 16U);
  EXPECT_EQ(build_id().find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(build_id(), build_id());
}

}  // namespace
}  // namespace strads
