# cmake --install: the programs, and the libraries with their headers for programs outside of this tree, which say
# find_package(strads) and link strads::program, strads::daemon or a layer below (docs/MODELS.md).
include(GNUInstallDirs)
set(strads_package ${CMAKE_INSTALL_LIBDIR}/cmake/strads)

install(TARGETS lasso mf stradsd strads_sim_program RUNTIME)
install(PROGRAMS scripts/strads-launch TYPE BIN)
foreach(target base data numerics wire engine transport sim program daemon build_id build_flags)
  set_target_properties(strads_${target} PROPERTIES EXPORT_NAME ${target})
  install(TARGETS strads_${target} EXPORT strads ARCHIVE)
endforeach()
install(DIRECTORY include/strads TYPE INCLUDE)
install(EXPORT strads FILE strads-targets.cmake NAMESPACE strads:: DESTINATION ${strads_package})
# Who links the libraries needs what they use: the same list.
install(FILES cmake/Dependencies.cmake DESTINATION ${strads_package} RENAME strads-dependencies.cmake)
file(WRITE ${CMAKE_BINARY_DIR}/strads-config.cmake
  "include(\${CMAKE_CURRENT_LIST_DIR}/strads-dependencies.cmake)\ninclude(\${CMAKE_CURRENT_LIST_DIR}/strads-targets.cmake)\n")
install(FILES ${CMAKE_BINARY_DIR}/strads-config.cmake DESTINATION ${strads_package})
