# cpack: a .deb for each component of Install.cmake (scripts/package makes them, and the tarball). CPack finds out itself
# which shared libraries a package needs (dpkg-shlibdeps).
set(STRADS_MAINTAINER "The STRADS authors <maintainers@strads.invalid>" CACHE STRING
  "Who stands in packages as their maintainer, with an address")

# What is made for packages from the option tables and packaging/: manual pages, completion, copyright, changelog, SBOM.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(strads_share ${CMAKE_BINARY_DIR}/share)
file(GLOB packaging_sources LIST_DIRECTORIES false CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/packaging/*
  ${CMAKE_SOURCE_DIR}/scripts/strads_report/*.py ${CMAKE_SOURCE_DIR}/scripts/strads_experiment/*.py)
add_custom_command(
  OUTPUT ${CMAKE_BINARY_DIR}/share.stamp
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/packaging/write_share.py --source ${CMAKE_SOURCE_DIR}
          --facts ${CMAKE_BINARY_DIR}/build_facts.txt --tables $<TARGET_FILE:strads_option_tables>
          --maintainer "${STRADS_MAINTAINER}" ${strads_share}
  COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/share.stamp
  DEPENDS ${packaging_sources} ${CMAKE_BINARY_DIR}/build_facts.txt strads_option_tables ${CMAKE_SOURCE_DIR}/README.md
          ${CMAKE_SOURCE_DIR}/CHANGELOG.md ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/scripts/strads-launch
  COMMENT "Writing manual pages, completion and SBOM" VERBATIM)
add_custom_target(strads_share ALL DEPENDS ${CMAKE_BINARY_DIR}/share.stamp)
install(DIRECTORY ${strads_share}/programs/ DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT programs)
install(DIRECTORY ${strads_share}/development/ DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT development)
# All that a package needs: what scripts/package builds.
add_custom_target(strads_packaged DEPENDS ${strads_programs} strads_share)
get_property(languages GLOBAL PROPERTY STRADS_PACKAGE_COMPONENTS)
foreach(language ${languages})
  install(DIRECTORY ${strads_share}/${language}/ DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT ${language} EXCLUDE_FROM_ALL)
endforeach()
if(STRADS_PYTHON)
  add_dependencies(strads_packaged strads_python)
endif()
if(STRADS_R)
  add_dependencies(strads_packaged strads_r_package)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_OUTPUT_FILE_PREFIX ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_NAME strads)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT ${STRADS_MAINTAINER})
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME strads)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SHLIBDEPS ON)
# For strads-launch, strads-report and strads-experiment alone.
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_RECOMMENDS "python3, openssh-client")
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SUGGESTS "python3-matplotlib")
set(CPACK_COMPONENT_PROGRAMS_DESCRIPTION "Lasso for very many variables, matrix factorization
Fits the Lasso, elastic net, L1 logistic and Poisson regression to data with
very many variables (genotypes, expression, words) by scheduled coordinate
descent, with a duality gap for each solution; fits linear support vector
machines; factorizes matrices of ratings; finds
topics of documents. Runs on one machine or on several, with the same bits.

The programs are lasso, mf, lda, svm, stradsd (a node of a cluster), strads_sim
(a simulated cluster), strads-launch (nodes over ssh), strads-report (charts of
runs) and strads-experiment (grids of runs).")

list(JOIN strads_build_packages ", " build_packages)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libstrads-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "pkg-config, ${build_packages}")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Libraries and headers for models on the engine of STRADS
Static libraries, headers and files for find_package(strads) of CMake, to write
a model and its programs on the engine that lasso, mf and svm run on.")

# The compiled half is for one version of Python, as its file name says.
math(EXPR next_minor "${Python_VERSION_MINOR} + 1")
list(JOIN strads_python_loads ", " loads)
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-strads)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= ${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}~), \
python3 (<< ${Python_VERSION_MAJOR}.${next_minor}), ${loads}")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-pandas")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-matplotlib, python3-tqdm, strads")
# They write and remove __pycache__, as those of all of Debian's Python packages.
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
  ${CMAKE_SOURCE_DIR}/packaging/python/postinst ${CMAKE_SOURCE_DIR}/packaging/python/prerm)
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Lasso and matrix factorization with scikit-learn's conventions
The programs lasso and mf of STRADS as functions of a Python process: Lasso,
elastic net, L1 logistic and Poisson regression, their paths and
cross-validations, with a duality gap for each solution, and matrix
factorization. NumPy arrays, SciPy's sparse matrices and genotypes in PLINK
files are used where they lie.

Coefficients have the bits of the programs.")

list(JOIN strads_r_loads ", " loads)
set(CPACK_DEBIAN_R_LIBRARY_PACKAGE_NAME r-strads)
set(CPACK_DEBIAN_R_LIBRARY_PACKAGE_SECTION gnu-r)
set(CPACK_DEBIAN_R_LIBRARY_PACKAGE_SHLIBDEPS ON)
# As Debian's own: the R that it was installed with or a later one, as long as the interface is that one.
set(CPACK_DEBIAN_R_LIBRARY_PACKAGE_DEPENDS "r-base-core (>= ${STRADS_R_VERSION}), r-api-4.0, ${loads}")
set(CPACK_DEBIAN_R_LIBRARY_PACKAGE_SUGGESTS "r-cran-glmnet, strads")
set(CPACK_COMPONENT_R_LIBRARY_DESCRIPTION "Lasso with glmnet's arguments and results, and a certificate
The program lasso of STRADS as functions of R: the Lasso and the elastic net,
for numbers and for two classes, at one lambda, along a path and with
cross-validation, with a duality gap for each solution. Matrices, sparse
matrices and genotypes in PLINK files are used where they lie.

Coefficients have the bits of the program.")
set(CPACK_COMPONENTS_ALL programs development ${languages})
include(CPack)
