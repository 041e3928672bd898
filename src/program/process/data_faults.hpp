// What happens when a mapped data file can no longer be read. Layer: program.
#pragma once

namespace strads {

/// From now on a page of a mapped file that cannot be read (SIGBUS: the file was shortened meanwhile, or its disk
/// failed) ends the process with StatusCode::input and a message that names the file, whichever thread it was; files
/// that were being written are removed. Anywhere else SIGBUS does what it does by default. `program`: for the message;
/// a string constant. Call before there are threads.
void install_data_fault_handler(const char* program);

}  // namespace strads
