// What the factors of sgd make of the training ratings. Private to apps/mf.
#pragma once

#include "mf/model/mf.hpp"
#include "mf/output/model_files.hpp"

namespace strads::mf {

/// sgd knows the errors that it met, each before the step that it led to. Its factors as they are written are looked at
/// here: sets objective and training error of `solution`. Of the other solvers those are known already: nothing is
/// done. The same bits for any number of threads and in whatever order this process holds the ratings. `factors`: those
/// of the solution. REQUIRES: `model` was made by make_mf_model(), and either all of its workers are here or its data
/// still have the ratings. Cost: a pass over the ratings, 2 rank flops each.
void recount(const Model& model, const FactorModel& factors, MfSolution& solution, Chunks& chunks);

/// The same for the end of a run: its objective and figures.
void recount(const Model& model, RunEnd& end, Chunks& chunks);

}  // namespace strads::mf
