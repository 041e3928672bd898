# cmake --install, in components:
#   programs     the programs, their manual pages, completion for bash, examples: the package strads, and the tarball
#   development  the libraries with their headers, for programs outside of this tree, which say find_package(strads) and
#                link strads::program, strads::daemon or a layer below (docs/MODELS.md): the package libstrads-dev
#   python       the Python package: python3-strads
#   r            strads.so and the sources of the R package, for R CMD INSTALL
#   r_library    the R package as R has installed it, for a prefix whose lib/R is R's: the package r-strads
include(GNUInstallDirs)
set(strads_package ${CMAKE_INSTALL_LIBDIR}/cmake/strads)
set(strads_examples ${CMAKE_INSTALL_DATADIR}/strads/datasets)

# The tarball has the libraries of others in lib/strads, beside the programs; elsewhere that folder is not there and the
# system's are taken. DT_RPATH, not DT_RUNPATH: it holds for what those libraries load, too.
set(strads_programs lasso mf lda svm stradsd strads_sim_program)
# In the build folder, too: what CMake would put there to be replaced are empty entries, which mean the current folder.
set_target_properties(${strads_programs} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/strads" BUILD_WITH_INSTALL_RPATH ON)
foreach(program ${strads_programs})
  target_link_options(${program} PRIVATE LINKER:--disable-new-dtags)
endforeach()
install(TARGETS ${strads_programs} RUNTIME COMPONENT programs)
install(PROGRAMS scripts/strads-launch TYPE BIN COMPONENT programs)
install(DIRECTORY scripts/strads_launch DESTINATION ${CMAKE_INSTALL_DATADIR}/strads COMPONENT programs
  FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)
install(FILES README.md CHANGELOG.md LICENSE TYPE DOC COMPONENT programs)
file(GLOB documents ${CMAKE_SOURCE_DIR}/docs/*.md ${CMAKE_SOURCE_DIR}/docs/*.json)
install(FILES ${documents} DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT programs)
install(DIRECTORY tests/datasets/1000g-chr2-eur tests/datasets/diabetes DESTINATION ${strads_examples} COMPONENT programs
  FILES_MATCHING PATTERN "*.bed" PATTERN "*.bim" PATTERN "*.fam" PATTERN "*.tsv" PATTERN "*.csv" PATTERN "*.csv.gz")
install(FILES tests/datasets/README.md DESTINATION ${strads_examples} COMPONENT programs)
# Their modules lie in share/strads, where they look for them.
install(PROGRAMS scripts/strads-report TYPE BIN COMPONENT programs)
install(PROGRAMS scripts/experiment TYPE BIN RENAME strads-experiment COMPONENT programs)
install(DIRECTORY scripts/strads_report scripts/strads_experiment DESTINATION ${CMAKE_INSTALL_DATADIR}/strads COMPONENT programs
  FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)

foreach(target base data numerics wire engine policies transport sim program daemon build_id build_facts build_flags)
  set_target_properties(strads_${target} PROPERTIES EXPORT_NAME ${target})
  install(TARGETS strads_${target} EXPORT strads ARCHIVE COMPONENT development)
endforeach()
install(DIRECTORY include/strads TYPE INCLUDE COMPONENT development)
install(EXPORT strads FILE strads-targets.cmake NAMESPACE strads:: DESTINATION ${strads_package} COMPONENT development)
# Who links the libraries needs what they use: the same list.
install(FILES cmake/Dependencies.cmake DESTINATION ${strads_package} RENAME strads-dependencies.cmake
  COMPONENT development)
file(WRITE ${CMAKE_BINARY_DIR}/strads-config.cmake
  "include(\${CMAKE_CURRENT_LIST_DIR}/strads-dependencies.cmake)\ninclude(\${CMAKE_CURRENT_LIST_DIR}/strads-targets.cmake)\n")
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/strads-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/strads-config.cmake ${CMAKE_BINARY_DIR}/strads-config-version.cmake
  DESTINATION ${strads_package} COMPONENT development)
