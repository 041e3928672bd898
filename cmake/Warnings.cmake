# Flags that every target of ours is built with. -ffp-contract=off: the same source gives the same bits whether or not
# the compiler finds a fused multiply-add. -fmacro-prefix-map: __FILE__ does not tell where the tree lies.
# -Wno-restrict: gcc 12 warns falsely about "text" + std::string (gcc bug 105651).
add_library(strads_build_flags INTERFACE)
target_compile_features(strads_build_flags INTERFACE cxx_std_20)
target_compile_options(strads_build_flags INTERFACE
  -ffp-contract=off -fno-fast-math)
# What programs outside of the tree need not.
target_compile_options(strads_build_flags INTERFACE "$<BUILD_INTERFACE:-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=;\
-Wall;-Wextra;-Wconversion;-Wshadow;-Wnon-virtual-dtor;-Woverloaded-virtual;\
$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>;$<$<BOOL:${STRADS_WARNINGS_AS_ERRORS}>:-Werror>>")
# Libraries that a program links and does not use would be loaded at each start (a test: 63 ms instead of 16).
target_link_options(strads_build_flags INTERFACE $<BUILD_INTERFACE:LINKER:--as-needed>)
if(STRADS_SANITIZE)
  target_compile_options(strads_build_flags INTERFACE "-fsanitize=${STRADS_SANITIZE}" -fno-omit-frame-pointer)
  if(STRADS_SANITIZE MATCHES "undefined")
    target_compile_options(strads_build_flags INTERFACE -fno-sanitize-recover=undefined)
  endif()
  target_link_options(strads_build_flags INTERFACE "-fsanitize=${STRADS_SANITIZE}")
endif()
if(STRADS_FUZZ)
  target_compile_options(strads_build_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
