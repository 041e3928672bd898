#include "host.hpp"

#include <array>
#include <chrono>

namespace strads::r {
namespace {

void look_for_interrupt(void* /*unused*/) {
  R_CheckUserInterrupt();
}

/// A call of the callback, from its numbers to its answer.
struct Heard {
  SEXP callback;
  const ProgressEvent& event;
  double seconds;
  SEXP answer = nullptr;  ///< preserved
};

/// Only C and R here: R may leave by a jump.
void call_back(void* of) {
  auto& heard = *static_cast<Heard*>(of);
  const ProgressEvent& event = heard.event;
  const std::array<const char*, 9> names{"seconds", "rounds",       "phase",    "updates", "objective",
                                         "gap",     "relative.gap", "nonzeros", nullptr};
  const std::array<double, 8> values{heard.seconds,
                                     static_cast<double>(event.totals.rounds),
                                     static_cast<double>(event.phase),
                                     static_cast<double>(event.totals.updates),
                                     objective_of(event),
                                     event.certificate.gap,
                                     event.certificate.relative_gap,
                                     static_cast<double>(event.certificate.nonzeros)};
  SEXP facts = PROTECT(Rf_allocVector(VECSXP, 9));
  SEXP labels = PROTECT(Rf_allocVector(STRSXP, 9));
  SET_STRING_ELT(labels, 0, Rf_mkChar("event"));
  SET_VECTOR_ELT(facts, 0, Rf_mkString(event_name(event.kind)));
  for (int k = 0; k < 8; ++k) {
    SET_STRING_ELT(labels, k + 1, Rf_mkChar(names[static_cast<std::size_t>(k)]));
    SET_VECTOR_ELT(facts, k + 1, Rf_ScalarReal(values[static_cast<std::size_t>(k)]));
  }
  Rf_setAttrib(facts, R_NamesSymbol, labels);
  SEXP call = PROTECT(Rf_lang2(heard.callback, facts));
  heard.answer = Rf_eval(call, R_GlobalEnv);
  R_PreserveObject(heard.answer);
  UNPROTECT(3);
}

}  // namespace

RunHost Host::functions() {
  RunHost host;
  host.note = [this](const std::string& text) { notes.push_back(text); };
  host.finish_requested = [this] { return is_interrupted(); };
  if (callback_ != R_NilValue) {
    host.progress = [this](const ProgressEvent& event, double seconds) { return hear(event, seconds); };
  }
  return host;
}

bool Host::hear(const ProgressEvent& event, double seconds) {
  if (ends_) return true;
  if (event.kind == ProgressEvent::Kind::commit && seconds - told_ < kHostToldSeconds) return false;
  told_ = seconds;
  Heard heard{callback_, event, seconds};
  // The callback comes with handlers for what it signals; this is for an interrupt between them.
  if (R_ToplevelExec(call_back, &heard) == FALSE) {
    interrupted = ends_ = true;
    return true;
  }
  if (TYPEOF(heard.answer) == LGLSXP && Rf_xlength(heard.answer) == 1) {
    ends_ = LOGICAL(heard.answer)[0] == TRUE;
  } else {
    condition_ = heard.answer;
    ends_ = true;
  }
  R_ReleaseObject(heard.answer);
  return ends_;
}

bool Host::is_interrupted() {
  const std::int64_t now = std::chrono::steady_clock::now().time_since_epoch().count();
  if (ends_ || now - looked_ < kHostLookNanoseconds) return ends_;
  looked_ = now;
  interrupted = ends_ = R_ToplevelExec(look_for_interrupt, nullptr) == FALSE;
  return ends_;
}

}  // namespace strads::r
