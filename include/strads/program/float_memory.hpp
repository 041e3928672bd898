// Memory that arrays of floats are made from again. Layer: program.
#pragma once

namespace strads {

/// Gives the memory of arrays that are gone back to the system. Programs keep it for arrays of the same length, which
/// the next version of a replica brings (use_large_pages() in run.hpp); at the end of a run none follows. Nothing
/// happens where no program runs. Thread-safe.
void give_back_floats();

}  // namespace strads
