// How many threads this process may keep busy. Layer: transport. The one place where --threads 0 is given a number.
#pragma once

#include <string>

namespace strads {

/// The least of: the cores that the process may run on (sched_getaffinity: taskset, Slurm, docker --cpuset-cpus), and
/// the processor quotas, rounded up, of its control groups and of those above them (versions 1 and 2: docker --cpus,
/// limits of Kubernetes). More would wait for each other at barriers. At least 1.
///   root: what comes before /proc and before the places where control groups are mounted; for tests
[[nodiscard]] unsigned available_threads(const std::string& root = "");

/// What --threads means: `wanted`, or where it is 0 the part of available_threads() of one of `processes` that share
/// them, at least 1.
[[nodiscard]] unsigned threads_wanted(unsigned wanted, unsigned processes = 1);

}  // namespace strads
