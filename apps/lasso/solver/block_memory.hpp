// Memory of blocks, kept between their solves.
#pragma once

namespace strads::lasso {

/// From now on the program keeps what blocks free (up to 4 MiB an array, 16 in all) for the next ones. Programs give
/// long arrays back at once (use_large_pages); the Gram matrices, factors and tiles of a block are asked for again
/// every few milliseconds, and the pages that the system had to map and fill with zeros took up to two thirds of a
/// small fit.
void keep_block_memory();

}  // namespace strads::lasso
