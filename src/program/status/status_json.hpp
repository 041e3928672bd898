// What the page is told, as JSON: its script reads it under the same names. Layer: program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "program/status/status_view.hpp"

namespace strads {

/// One line. Numbers that JSON does not have are null; what is no UTF-8 is replaced.
[[nodiscard]] std::string status_json(const StatusView& view);

/// As an event of text/event-stream; its id, "INSTANCE:NUMBER", comes back as Last-Event-ID from a page whose
/// connection was lost.
[[nodiscard]] std::string status_event(const StatusView& view);
/// The number in such an id; 0 where it is of another process, or none at all.
[[nodiscard]] std::uint64_t number_of_event(std::string_view id, std::string_view instance);

}  // namespace strads
