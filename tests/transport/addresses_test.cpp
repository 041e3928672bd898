#include "transport/sockets/addresses.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strads::transport {
namespace {

using testing::HasSubstr;
using testing::Ne;
using testing::StartsWith;

TEST(TcpEndpoints, AreSplitAtTheLastColon) {
  const auto parsed = parse_tcp("tcp://[fe80::1]:5570").value();
  EXPECT_EQ(parsed.host, "[fe80::1]");
  EXPECT_EQ(parsed.port, "5570");
}

TEST(TcpEndpoints, MayNameAHost) {
  EXPECT_EQ(parse_tcp("tcp://node1:1").value().host, "node1");
}

TEST(TcpEndpoints, AreRefusedWithoutPortHostOrScheme) {
  for (const char* wrong : {"tcp://node1", "tcp://node1:", "tcp://:5570", "node1:5570", "http://node1:1", ""}) {
    EXPECT_EQ(parse_tcp(wrong).status().code(), StatusCode::cluster) << wrong;
  }
}

TEST(OwnEndpoint, LiesOnTheRouteToTheDriver) {
  EXPECT_EQ(own_endpoint("tcp://127.0.0.1:5570", "").value(), "tcp://127.0.0.1:0");
}

TEST(OwnEndpoint, IsTheGivenAddress) {
  EXPECT_EQ(own_endpoint("tcp://127.0.0.1:5570", "10.1.2.3").value(), "tcp://10.1.2.3:0");
  EXPECT_EQ(own_endpoint("tcp://127.0.0.1:5570", "fe80::1").value(), "tcp://[fe80::1]:0");
}

TEST(OwnEndpoint, LiesBesideTheDriversSocketAndIsNeverTheSameTwice) {
  const auto first = own_endpoint("ipc:///tmp/x/driver", "").value();
  EXPECT_THAT(first, StartsWith("ipc:///tmp/x/node-"));
  EXPECT_THAT(own_endpoint("ipc:///tmp/x/driver", "").value(), Ne(first));
}

TEST(OwnEndpoint, SaysWhichNameIsUnknown) {
  const auto status = own_endpoint("tcp://no-such-host.invalid:1", "").status();
  EXPECT_EQ(status.code(), StatusCode::cluster);
  EXPECT_THAT(status.message(), HasSubstr("no-such-host.invalid"));
}

TEST(Reachable, PutsTheHostThatWasUsedInPlaceOfAnyAddress) {
  EXPECT_EQ(reachable("tcp://0.0.0.0:7", "tcp://node1:5570"), "tcp://node1:7");
  EXPECT_EQ(reachable("tcp://[::]:7", "tcp://node1:5570"), "tcp://node1:7");
}

TEST(Reachable, LeavesARealAddressAlone) {
  EXPECT_EQ(reachable("tcp://10.0.0.1:7", "tcp://node1:5570"), "tcp://10.0.0.1:7");
  EXPECT_EQ(reachable("ipc:///x", "ipc:///y"), "ipc:///x");
}

}  // namespace
}  // namespace strads::transport
