// The figures of a program in Prometheus' text format (version 0.0.4). Layer: program. Pure.
#pragma once

#include <string>

#include "program/status/status_view.hpp"

namespace strads {

inline constexpr const char* kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

/// Of a whole view. Each family once, with HELP and TYPE; figures that are not known are left out.
[[nodiscard]] std::string metrics_text(const StatusView& view);

}  // namespace strads
