// What programs ask of their users where a check has failed. Layer: program.
#pragma once

namespace strads {

/// What to do about a failed check of what is about to be written.
inline constexpr const char* kReportThis =
    "Please report it with the command line; on a cluster, look also at who else can reach the driver's port";

}  // namespace strads
