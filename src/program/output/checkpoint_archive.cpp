// Boost.Serialization's non-intrusive form of what a checkpoint holds. Members are named by structured bindings, so
// that one that is added to a struct and forgotten here does not compile. Who adds one raises the version of its class.
#include "program/output/checkpoint_archive.hpp"

#include <boost/serialization/binary_object.hpp>
#include <boost/serialization/split_free.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <boost/serialization/version.hpp>
#include <memory>
#include <string_view>
#include <utility>

#include "program/output/archive_file.hpp"

BOOST_CLASS_VERSION(strads::SharedFloats, 1)
BOOST_CLASS_VERSION(strads::Payload, 1)
BOOST_CLASS_VERSION(strads::Barrier, 1)
BOOST_CLASS_VERSION(strads::JudgedBarrier, 1)
BOOST_CLASS_VERSION(strads::PhasePlan, 1)
BOOST_CLASS_VERSION(strads::RunTotals, 1)
BOOST_CLASS_VERSION(strads::RunCheckpoint, 1)
BOOST_CLASS_VERSION(strads::Certificate, 1)
BOOST_CLASS_VERSION(strads::RunEnd, 1)
BOOST_CLASS_VERSION(strads::KeptOfRun, 1)
BOOST_CLASS_VERSION(strads::ListedRun, 1)
BOOST_CLASS_VERSION(strads::CheckpointIdentity, 1)
BOOST_CLASS_VERSION(strads::Checkpoint, 2)

namespace boost::serialization {

template <class Archive>
void save(Archive& archive, const strads::SharedFloats& floats, unsigned /*version*/) {
  const std::uint64_t size = floats.size();
  archive << size;
  // make_binary_object() takes what it only reads as not const.
  if (size > 0) archive << make_binary_object(const_cast<float*>(floats.data()), size * sizeof(float));
}

template <class Archive>
void load(Archive& archive, strads::SharedFloats& floats, unsigned /*version*/) {
  std::uint64_t size = 0;
  archive >> size;
  archive.expect(size, sizeof(float));
  floats = strads::SharedFloats(size);
  if (size > 0) archive >> make_binary_object(floats.writable().data(), size * sizeof(float));
}

template <class Archive>
void serialize(Archive& archive, strads::SharedFloats& floats, unsigned version) {
  split_free(archive, floats, version);
}

template <class Archive>
void serialize(Archive& archive, strads::Payload& payload, unsigned /*version*/) {
  auto& [ids, values, bulk] = payload;
  archive& ids& values& bulk;
}

template <class Archive>
void serialize(Archive& archive, strads::Barrier& barrier, unsigned /*version*/) {
  auto& [phase, at, verified, limit_reached, rounds, predicted, realised, updates] = barrier;
  archive& phase& at& verified& limit_reached& rounds& predicted& realised& updates;
}

template <class Archive>
void serialize(Archive& archive, strads::JudgedBarrier& judged, unsigned /*version*/) {
  auto& [barrier, statuses] = judged;
  archive& barrier& statuses;
}

template <class Archive>
void serialize(Archive& archive, strads::PhasePlan& plan, unsigned /*version*/) {
  auto& [verdict, mode, blocks_max, rounds_max, updates_max, content] = plan;
  archive& verdict& mode& blocks_max& rounds_max& updates_max& content;
}

template <class Archive>
void serialize(Archive& archive, strads::RunTotals& totals, unsigned /*version*/) {
  auto& [rounds, phases, blocks, updates, updates_path, flops, flops_path, rounds_parallel, phases_parallel,
         planned_early, empty_rounds, tally] = totals;
  archive& rounds& phases& blocks& updates& updates_path& flops& flops_path& rounds_parallel;
  archive& phases_parallel& planned_early& empty_rounds& tally;
}

template <class Archive>
void serialize(Archive& archive, strads::RunCheckpoint& run, unsigned /*version*/) {
  auto& [judged, barrier, totals, in_phase, phase, replica, memories, planning_flops] = run;
  archive& judged& barrier& totals& in_phase& phase& replica& memories& planning_flops;
}

template <class Archive>
void serialize(Archive& archive, strads::Certificate& certificate, unsigned /*version*/) {
  auto& [objective, gap, relative_gap, dual, nonzeros, converged, figures] = certificate;
  archive& objective& gap& relative_gap& dual& nonzeros& converged& figures;
}

/// Of a run that has ended in order: its status is ok, and what it reported last is left out.
template <class Archive>
void serialize(Archive& archive, strads::RunEnd& end, unsigned /*version*/) {
  auto& [status, stop_reason, certificate, totals, problem, statuses] = end;
  archive& stop_reason& certificate& totals& problem;
}

template <class Archive>
void serialize(Archive& archive, strads::KeptOfRun& kept, unsigned /*version*/) {
  auto& [numbers, texts] = kept;
  archive& numbers& texts;
}

template <class Archive>
void save(Archive& archive, const strads::ListedRun& run, unsigned /*version*/) {
  const auto& [at, ended, end, kept] = run;
  const bool has_barrier = at != nullptr;
  archive << has_barrier << ended;
  if (has_barrier) archive << *at;
  if (ended) archive << end << kept;
}

template <class Archive>
void load(Archive& archive, strads::ListedRun& run, unsigned /*version*/) {
  auto& [at, ended, end, kept] = run;
  bool has_barrier = false;
  archive >> has_barrier >> ended;
  if (has_barrier) {
    const auto barrier = std::make_shared<strads::RunCheckpoint>();
    archive >> *barrier;
    at = barrier;
  }
  if (ended) archive >> end >> kept;
}

template <class Archive>
void serialize(Archive& archive, strads::ListedRun& run, unsigned version) {
  split_free(archive, run, version);
}

template <class Archive>
void serialize(Archive& archive, strads::CheckpointIdentity& identity, unsigned /*version*/) {
  auto& [build, simd, command, config, fingerprint] = identity;
  archive& build& simd& command& config& fingerprint;
}

template <class Archive>
void serialize(Archive& archive, strads::Checkpoint& checkpoint, unsigned /*version*/) {
  auto& [identity, options, seconds_solve, runs] = checkpoint;
  archive& identity& options& seconds_solve& runs;
}

}  // namespace boost::serialization

namespace strads {

Result<std::string> archive_checkpoint(std::string front, const Checkpoint& checkpoint) {
  return to_archive(std::move(front), checkpoint);
}

Result<Checkpoint> read_checkpoint_archive(std::string_view archive) {
  return from_archive<Checkpoint>(archive);
}

}  // namespace strads
