// Where the numbers of the payloads lie, written down a second time: a test that damages one, or makes one by hand,
// does so without the lists of fields that it checks.
#pragma once

#include <cstddef>

namespace strads::mf {

enum PlanValue : std::size_t {
  kPlanWork,
  kPlanSide,
  kPlanFirst,
  kPlanSweep,
  kPlanIndex,
  kPlanPart,
  kPlanRelaxation,
  kPlanWeights
};

enum EntryValue : std::size_t { kEntryPage, kEntryOther, kEntryBefore, kEntryAfter, kEntrySums };

enum EvaluateValue : std::size_t {
  kValidationSquared,
  kValidationAbsolute,
  kValidationCount,
  kTestSquared,
  kTestAbsolute,
  kTestCount,
  kEvaluatedBlocks,
  kFailedBlocks,
  kUnreadBlocks,
  kEvaluateValues
};

enum StatusValue : std::size_t {
  kStatusError,
  kStatusFault,
  kStatusBestValidation,
  kStatusUsersImbalance,
  kStatusItemsImbalance,
  kStatusUsersSplit,
  kStatusItemsSplit,
  kStatusEvaluation,
  kStatusSums = kStatusEvaluation + kEvaluateValues
};

}  // namespace strads::mf
