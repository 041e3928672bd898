// What a program was built from and with. Layer: program.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace strads {

/// A library of others that is in the program or is loaded with it.
struct Dependency {
  std::string_view name, version;
  std::string_view licence;  ///< SPDX expression
  std::string_view how;      ///< "linked": a shared library; "compiled": its headers
};

/// All of packaging/dependencies.txt, with the versions that the program was built with. Of a shared library that is
/// installed for the whole system, another one may be loaded.
[[nodiscard]] std::span<const Dependency> dependencies();
/// Name, version, build type: "GNU 12.2.0, Release".
[[nodiscard]] std::string_view compiler();
/// Of a package that scripts/package made; else "".
[[nodiscard]] std::string_view source_commit();

/// What --version says: "lasso 0.1.0 (build 0123456789abcdef)" and a newline.
[[nodiscard]] std::string version_line(std::string_view program);
/// Whether the arguments are --version --verbose, in any order.
[[nodiscard]] bool asks_for_version_details(std::span<const std::string> arguments);
/// The lines of PROGRAM --version --verbose: version, build, commit, compiler, C library, kernels of this CPU, and
/// every library with its version and licence. Changes which kernels are chosen: for programs that end then.
[[nodiscard]] std::string version_details(std::string_view program);

}  // namespace strads
