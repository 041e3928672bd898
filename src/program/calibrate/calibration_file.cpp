// The keys of a calibration file, each written once.
#include <utility>

#include "strads/program/calibrate.hpp"
#include "strads/program/option_table.hpp"

namespace strads {
namespace {

constexpr Range kPositive{.min = 0, .min_open = true};

void number(OptionTable& table, const char* section, const char* name, const char* effect, double* target,
            Range range = kPositive, const char* unit = "seconds") {
  table.section(section).unit(unit).number(name, "S", effect, target, range);
}

void add_compute_keys(OptionTable& table, Calibration& c) {
  number(table, "cost", "flop-seconds", "one multiply-add of a coordinate update; a run's decisions use it",
         &c.flop_seconds);
  number(table, "cost", "round-seconds", "a round's bookkeeping, its way there and back; a run's decisions use it",
         &c.round_seconds);
  number(table, "cost", "block-seconds", "messages of each of its blocks at its scheduler; a run's decisions use it",
         &c.block_seconds);
  number(table, "cost", "streamed-flop", "one flop of a pass over 2-bit genotypes", &c.costs.streamed_flop);
  number(table, "cost", "streamed-flop-f32", "the same over floats", &c.streamed_flop_f32);
  number(table, "cost", "streamed-flop-f64", "the same over doubles", &c.streamed_flop_f64);
  number(table, "cost", "streamed-flop-sparse", "the same over compressed columns", &c.streamed_flop_sparse);
  number(table, "cost", "quantised-flop", "one of a pass over genotypes for which whole numbers stand in",
         &c.costs.quantised_flop);
  number(table, "cost", "swept-flop", "one over some thousand columns again and again, one after the other",
         &c.costs.swept_flop);
  number(table, "cost", "scattered-flop", "one over columns here and there, which no cache has ready",
         &c.costs.scattered_flop);
  number(table, "cost", "tiled-flop", "one flop of a tiled product of pairs of columns", &c.costs.tiled_flop);
  number(table, "cost", "local-flop", "any other flop: inner solves, vectors in cache", &c.costs.local_flop);
  number(table, "cost", "fresh-byte", "a byte of memory that is filled for the first time", &c.costs.fresh_byte);
  number(table, "cost", "gathered-byte", "a byte of short records that lie here and there: factors of users and items",
         &c.costs.gathered_byte);
}

void add_event_keys(OptionTable& table, Calibration& c) {
  number(table, "cost", "handler", "bookkeeping of one event of the engine", &c.costs.handler);
  number(table, "cost", "handler-byte", "each byte of a message that is not short, for the engine",
         &c.costs.handler_byte);
  number(table, "cost", "task", "calling one task on the thread of the loop", &c.costs.task);
  number(table, "cost", "hand-over", "giving a task to another thread and hearing of its end", &c.costs.hand_over);
  number(table, "cost", "message", "sending or receiving one message between processes, at each end", &c.costs.message);
  number(table, "cost", "message-tcp", "the same over tcp", &c.message_tcp);
  number(table, "cost", "message-more", "one that follows another without a pause, at each end", &c.costs.message_more);
  number(table, "cost", "message-more-tcp", "the same over tcp", &c.message_more_tcp);
  number(table, "cost", "message-byte", "each of its bytes, at each end", &c.costs.message_byte);
}

void add_network_keys(OptionTable& table, Calibration& c) {
  number(table, "network", "latency", "one way between two hosts", &c.network.latency);
  number(table, "network", "local-latency", "one way between two processes of a host, ipc", &c.network.local_latency);
  number(table, "network", "local-latency-tcp", "the same over tcp", &c.local_latency_tcp);
  number(table, "network", "bandwidth", "out of or into a host", &c.network.bandwidth, kPositive, "bytes a second");
  number(table, "network", "jitter", "mean of a random delay on top, as a share of the latency", &c.network.jitter, {},
         "");
}

}  // namespace

OptionTable calibration_table(Calibration& calibration) {
  OptionTable table("strads_sim calibrate", "");
  add_compute_keys(table, calibration);
  add_event_keys(table, calibration);
  add_network_keys(table, calibration);
  return table;
}

std::string calibration_text(Calibration calibration) {
  return calibration_table(calibration).config();
}

Result<Calibration> read_calibration(const std::string& path) {
  Calibration calibration;
  if (Status read = calibration_table(calibration).parse_config(path); !read.ok()) return read;
  return calibration;
}

sim::CostConstants costs_for(const Calibration& calibration, std::string_view storage) {
  sim::CostConstants costs = calibration.costs;
  double of_storage = 0;
  if (storage == "dense f32") of_storage = calibration.streamed_flop_f32;
  if (storage == "dense f64") of_storage = calibration.streamed_flop_f64;
  if (storage == "sparse") of_storage = calibration.streamed_flop_sparse;
  // Their columns are long or need their row numbers: bandwidth counts, not in which order they are read.
  if (of_storage > 0) costs.streamed_flop = costs.swept_flop = costs.scattered_flop = of_storage;
  return costs;
}

}  // namespace strads
