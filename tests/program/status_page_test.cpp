// What a status page knows, says, and refuses: without sockets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "program/status/metrics_text.hpp"
#include "program/status/point_history.hpp"
#include "program/status/status_board.hpp"
#include "program/status/status_json.hpp"
#include "program/status/status_page.hpp"
#include "program/status/status_routes.hpp"
#include "support/temporary_folder.hpp"

namespace strads {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

StatusFacts facts_of_test() {
  StatusFacts facts;
  facts.command = "lasso fit";
  facts.version = "1.2.3";
  facts.build = "0123456789abcdef";
  facts.host = "here";
  facts.instance = "ab12";
  facts.started = 1000;
  return facts;
}

ProgressEvent commit_of(std::uint64_t round, double objective) {
  ProgressEvent event;
  event.kind = ProgressEvent::Kind::commit;
  event.objective = objective;
  event.totals.rounds = round;
  event.totals.updates = 10 * round;
  event.certificate.gap = -1;
  return event;
}

ProgressEvent barrier_at(std::uint64_t round, double objective, double gap) {
  ProgressEvent event = commit_of(round, 0);
  event.kind = ProgressEvent::Kind::barrier;
  event.certificate.objective = objective;
  event.certificate.gap = gap * objective;
  event.certificate.relative_gap = gap;
  event.certificate.nonzeros = 7;
  return event;
}

StatusPoint point_at(std::uint64_t number, double seconds) {
  StatusPoint point;
  point.number = number;
  point.seconds = seconds;
  return point;
}

TEST(PointHistory, HasItsFirstAndItsLastPointAndNeverMoreThanItMay) {
  PointHistory history(100);
  for (std::uint64_t k = 1; k <= 50'000; ++k) {
    history.add(point_at(k, 0.01 * static_cast<double>(k)));
    ASSERT_LT(history.points().size(), 100U);
    ASSERT_EQ(history.points().back().number, k);
    ASSERT_EQ(history.points().front().number, 1U);
  }
  EXPECT_GE(history.points().size(), 25U);
}

TEST(PointHistory, IsEvenOverTheTimeOfTheRun) {
  PointHistory history(64);
  for (std::uint64_t k = 1; k <= 10'000; ++k) history.add(point_at(k, 0.01 * static_cast<double>(k)));
  const auto& points = history.points();
  for (std::size_t k = 1; k < points.size(); ++k) {
    EXPECT_GT(points[k].seconds, points[k - 1].seconds);
    EXPECT_LT(points[k].seconds - points[k - 1].seconds, 4 * 100.0 / 32);
  }
}

TEST(PointHistory, PutsAPointThatIsTooCloseInThePlaceOfTheLastOne) {
  PointHistory history(100);
  for (int k = 0; k <= 10; ++k) {
    history.add(point_at(static_cast<std::uint64_t>(k) + 1, 0.1 * k * PointHistory::kApart));
  }
  std::vector<std::uint64_t> numbers;
  for (const StatusPoint& point : history.points()) numbers.push_back(point.number);
  EXPECT_THAT(numbers, ElementsAre(1U, 11U));
}

TEST(StatusBoard, TellsWhoLooksAgainOnlyWhatCameSince) {
  StatusBoard board(facts_of_test());
  board.expect_runs({"all samples", "without fold 1"});
  board.note_event(0, barrier_at(1, 5.0, 0.5), 0.1);
  board.note_message("info", "one");
  const StatusView first = board.view(0, 1000);
  EXPECT_TRUE(first.whole);
  EXPECT_EQ(first.runs.size(), 2U);
  EXPECT_EQ(first.messages.size(), 1U);

  board.note_event(1, barrier_at(3, 4.0, 0.25), 0.2);
  board.note_message("warning", "two");
  const StatusView second = board.view(first.number, 1000);
  EXPECT_FALSE(second.whole);
  ASSERT_EQ(second.runs.size(), 1U);
  EXPECT_EQ(second.runs[0].name, "without fold 1");
  EXPECT_EQ(second.runs[0].points.size(), 1U);
  EXPECT_EQ(second.rounds, 4U);
  EXPECT_EQ(second.updates, 40U);
  ASSERT_EQ(second.messages.size(), 1U);
  EXPECT_EQ(second.messages[0].text, "two");
  EXPECT_TRUE(board.view(second.number, 1000).runs.empty());
}

TEST(StatusBoard, HandsLongCoursesOutInPiecesWithoutAPointTwiceOrNever) {
  StatusBoard board(facts_of_test());
  board.expect_runs({"a", "b", "c"});
  for (std::uint64_t k = 1; k <= 300; ++k) board.note_event(k % 3, commit_of(k, 1.0), static_cast<double>(k));
  std::vector<double> seconds;
  std::uint64_t told = 0;
  int views = 0;
  for (; told != board.number(); ++views) {
    ASSERT_LT(views, 20);
    const StatusView view = board.view(told, 64);
    std::size_t points = 0;
    for (const StatusRun& run : view.runs) {
      points += run.points.size();
      for (const StatusPoint& point : run.points) seconds.push_back(point.seconds);
    }
    EXPECT_LE(points, 64U);
    told = view.number;
  }
  EXPECT_EQ(views, 5);
  std::ranges::sort(seconds);
  ASSERT_EQ(seconds.size(), 300U);
  for (std::size_t k = 0; k < seconds.size(); ++k) EXPECT_EQ(seconds[k], static_cast<double>(k + 1));
}

TEST(StatusBoard, KeepsTheLastMessages) {
  StatusBoard board(facts_of_test());
  for (std::size_t k = 0; k < StatusBoard::kMessagesMax + 3; ++k) board.note_message("info", std::to_string(k));
  const auto messages = board.view(0, 0).messages;
  ASSERT_EQ(messages.size(), StatusBoard::kMessagesMax);
  EXPECT_EQ(messages.front().text, "3");
}

TEST(StatusBoard, CallsNodesWhatTheyAre) {
  StatusBoard board(facts_of_test());
  std::vector<NodeState> nodes(5);
  nodes[1].late = true;
  nodes[2].late = nodes[2].silent = true;
  nodes[3].silent = nodes[3].report.lost = true;
  nodes[4].left = true;
  nodes[0].report.schedulers = {0, 2};
  nodes[0].report.workers = {1};
  board.note_nodes(nodes);
  std::vector<std::string> states;
  const StatusView view = board.view(0, 0);
  for (const StatusNode& node : view.nodes) states.push_back(node.state);
  EXPECT_THAT(states, ElementsAre("ok", "slow", "silent", "lost", "left"));
  EXPECT_EQ(view.nodes[0].roles, "S 0,2 P 1");
}

TEST(StatusJson, IsAnEventWhoseIdLeadsBackToWhereItWas) {
  StatusBoard board(facts_of_test());
  board.note_event(0, barrier_at(1, 5.0, 0.5), 0.25);
  board.note_message("info", "a \"quote\" and <b>\x01\xff");
  const std::string event = status_event(board.view(0, 100));
  EXPECT_THAT(event, StartsWith("id: ab12:2\ndata: {"));
  EXPECT_THAT(event, HasSubstr("[0.25,10,5.0,0.5,7,1,0]"));
  EXPECT_THAT(event, HasSubstr(R"(a \"quote\" and <b>\u0001)"));
  EXPECT_EQ(std::count(event.begin(), event.end(), '\n'), 3);
  EXPECT_EQ(number_of_event("ab12:2", "ab12"), 2U);
  for (const char* other : {"", "ab12", "ab12:", "ab12:2x", "ab13:2", "ab12:-1", "ab1:2"}) {
    EXPECT_EQ(number_of_event(other, "ab12"), 0U) << other;
  }
}

TEST(MetricsText, HasAFamilyOnceAndEscapesLabels) {
  StatusBoard board(facts_of_test());
  board.expect_runs({"a \"b\"\\\n"});
  board.note_event(0, barrier_at(4, 5.0, 0.5), 0.25);
  std::vector<NodeState> nodes(2);
  nodes[1].report.rank = 1;
  nodes[1].report.lost = true;
  board.note_nodes(nodes);
  const std::string text = metrics_text(board.view(0, 0));
  EXPECT_THAT(text,
              HasSubstr("# TYPE strads_objective gauge\nstrads_objective{run=\"0\",name=\"a \\\"b\\\"\\\\\\n\"} 5\n"));
  EXPECT_THAT(text, HasSubstr("\nstrads_rounds_total 4\n"));
  EXPECT_THAT(text, HasSubstr("\nstrads_nodes{state=\"lost\"} 1\n"));
  EXPECT_THAT(text, Not(HasSubstr("strads_exit_code")));
  for (std::size_t at = text.find("# TYPE "); at != std::string::npos; at = text.find("# TYPE ", at + 1)) {
    const std::string line = text.substr(at, text.find('\n', at) - at + 1);
    EXPECT_EQ(text.find(line, at + 1), std::string::npos) << line;
  }
}

TEST(MetricsText, LeavesOutWhatIsNotKnown) {
  StatusBoard board(facts_of_test());
  board.note_event(0, commit_of(1, 3.0), 0.25);
  const std::string text = metrics_text(board.view(0, 0));
  EXPECT_THAT(text, HasSubstr("strads_objective"));
  EXPECT_THAT(text, Not(HasSubstr("strads_relative_gap")));
  EXPECT_THAT(text, Not(HasSubstr("strads_node")));
}

TEST(StatusAddress, IsOfThisMachineUnlessAnotherOneIsNamed) {
  struct Case {
    const char* text;
    const char* host;
    std::uint16_t port;
    bool loopback;
  };
  for (const Case& each : {Case{"8080", "127.0.0.1", 8080, true}, Case{"localhost:0", "127.0.0.1", 0, true},
                           Case{"127.1.2.3:65535", "127.1.2.3", 65535, true}, Case{"[::1]:9", "::1", 9, true},
                           Case{"*:80", "0.0.0.0", 80, false}, Case{"[::]:80", "::", 80, false},
                           Case{"10.0.0.7:80", "10.0.0.7", 80, false}, Case{"128.0.0.1:1", "128.0.0.1", 1, false}}) {
    const auto address = parse_status_address(each.text);
    ASSERT_TRUE(address.ok()) << each.text;
    EXPECT_EQ(address.value().host, each.host) << each.text;
    EXPECT_EQ(address.value().port, each.port) << each.text;
    EXPECT_EQ(address.value().loopback, each.loopback) << each.text;
  }
  for (const char* wrong : {"", ":", ":80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "host:80",
                            "[::1]", "[::1:80", "::1:80x", "127.0.0.1:80 ", "70000"}) {
    const auto address = parse_status_address(wrong);
    ASSERT_FALSE(address.ok()) << wrong;
    EXPECT_EQ(address.status().code(), StatusCode::usage);
    EXPECT_THAT(address.status().message(), HasSubstr("'" + std::string(wrong) + "'"));
  }
}

class StatusRoutes : public testing::Test {
 protected:
  unsigned code(std::string_view target, std::string_view host = "localhost:80",
                std::string_view method = "GET") const {
    return answer({method, target, host}, access_, board_).code;
  }
  StatusBoard board_{facts_of_test()};
  StatusAccess access_;
};

TEST_F(StatusRoutes, AnswerToNamesOfThisMachineAlone) {
  for (const char* own : {"localhost", "LocalHost:1", "127.0.0.1", "127.9.9.9:80", "[::1]:80"})
    EXPECT_EQ(code("/", own), 200U) << own;
  for (const char* other :
       {"", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "10.0.0.1", "[::2]:80"}) {
    EXPECT_EQ(code("/", other), 421U) << other;
    EXPECT_EQ(code("/healthz", other), 421U) << other;
  }
}

TEST_F(StatusRoutes, AnswerToReadersAlone) {
  EXPECT_EQ(code("/metrics", "localhost", "HEAD"), 200U);
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "get", ""})
    EXPECT_EQ(code("/", "localhost", method), 405U);
}

TEST_F(StatusRoutes, KnowTheirPagesAndNoOthers) {
  for (const char* page : {"/", "/?a=b", "/page.js", "/page.css", "/uPlot.iife.min.js", "/uPlot.min.css",
                           "/LICENSE.uPlot", "/metrics", "/events", "/healthz"}) {
    EXPECT_EQ(code(page), 200U) << page;
  }
  for (const char* none : {"/x", "/page.js/", "//", "/../page.js", "/healthz/"}) EXPECT_EQ(code(none), 404U) << none;
  EXPECT_EQ(code("*"), 400U);
  EXPECT_TRUE(answer({"GET", "/events", "localhost"}, access_, board_).streams);
}

TEST_F(StatusRoutes, SayWhetherTheProgramIsReady) {
  EXPECT_EQ(code("/readyz"), 503U);
  board_.note_stage("solving", true);
  EXPECT_EQ(code("/readyz"), 200U);
  board_.note_end(0, "");
  EXPECT_EQ(code("/readyz"), 503U);
  EXPECT_EQ(code("/healthz"), 200U);
}

TEST_F(StatusRoutes, AskForTheTokenBeyondThisMachine) {
  access_ = {false, "0a1b2c3d"};
  EXPECT_EQ(code("/0a1b2c3d/", "any.example"), 200U);
  EXPECT_EQ(code("/0a1b2c3d/metrics", "any.example"), 200U);
  EXPECT_EQ(answer({"GET", "/0a1b2c3d", "any"}, access_, board_).location, "/0a1b2c3d/");
  EXPECT_EQ(code("/healthz", "any.example"), 200U);
  for (const char* guess : {"/", "/metrics", "/events", "/page.js", "/0a1b2c3/", "/0a1b2c3dd/", "/0a1b2c3e/",
                            "/1a1b2c3d/", "//", "/0A1B2C3D/", "/x/0a1b2c3d/", "/0a1b2c3d0a1b2c3d/"}) {
    EXPECT_EQ(code(guess), 404U) << guess;
  }
}

TEST(StatusPage, IsNotThereUnlessItIsAskedFor) {
  const auto page = StatusPage::open({}, "lasso fit");
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page.value(), nullptr);
}

TEST(StatusPage, LeavesMetricsAtItsEnd) {
  const test::TemporaryFolder folder;
  const auto page = StatusPage::open({"", folder.path("run.prom")}, "lasso fit");
  ASSERT_TRUE(page.ok()) << page.status().message();
  page.value()->board().note_event(0, barrier_at(4, 5.0, 0.5), 0.25);
  ASSERT_TRUE(page.value()->finish(Status(StatusCode::stopped, "")).ok());
  EXPECT_THAT(folder.read("run.prom"), HasSubstr("\nstrads_exit_code 3\n"));
  EXPECT_THAT(folder.read("run.prom"), HasSubstr("strads_relative_gap{run=\"0\",name=\"\"} 0.5\n"));
}

TEST(StatusPage, NeedsAFolderForItsMetrics) {
  const test::TemporaryFolder folder;
  const auto page = StatusPage::open({"", folder.path("none/run.prom")}, "lasso fit");
  ASSERT_FALSE(page.ok());
  EXPECT_EQ(page.status().code(), StatusCode::usage);
}

}  // namespace
}  // namespace strads
