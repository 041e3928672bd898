# Packages of other languages. Their modules are shared objects made of the same static libraries as the programs: the
# same code, so the same bits.
if(STRADS_PYTHON)
  # Debian's Python has Debian's NumPy and SciPy; another one is named with -DPython_EXECUTABLE=.
  if(NOT DEFINED Python_EXECUTABLE AND EXISTS /usr/bin/python3)
    set(Python_EXECUTABLE /usr/bin/python3)
  endif()
  find_package(Python COMPONENTS Interpreter Development.Module QUIET)
  set(PYBIND11_FINDPYTHON ON)
  find_package(pybind11 2.10 CONFIG QUIET)
  if(NOT pybind11_FOUND OR NOT Python_FOUND)
    message(STATUS "Python package: not built, since pybind11 2.10 or Python's headers are not found "
      "(scripts/install_packages python)")
    set(STRADS_PYTHON OFF)
  elseif(STRADS_SANITIZE OR STRADS_FUZZ)
    message(STATUS "Python package: not built with sanitizers")
    set(STRADS_PYTHON OFF)
  endif()
else()
  message(STATUS "Python package: not built (STRADS_PYTHON is OFF)")
endif()
if(STRADS_PYTHON OR STRADS_SHARED_CODE)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  # Functions of ours are not replaced by others of the same name, so that they are inlined as in a program.
  target_compile_options(strads_build_flags INTERFACE $<BUILD_INTERFACE:-fno-semantic-interposition>)
endif()
