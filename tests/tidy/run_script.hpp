// Runs a script of scripts/ and keeps what it prints.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <string>
#include <vector>

namespace strads::test {

struct ScriptResult {
  int code = -1;
  std::string output;  ///< stdout and stderr
};

/// Arguments must hold no single quote.
inline ScriptResult run_script(const std::string& name, const std::vector<std::string>& arguments) {
  std::string command = "'" STRADS_PYTHON_PROGRAM "' '" STRADS_SOURCE_DIR "/scripts/" + name + "'";
  for (const auto& argument : arguments) command += " '" + argument + "'";
  command += " 2>&1";
  ScriptResult result;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return result;
  char buffer[4096];
  for (std::size_t count = 0; (count = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    result.output.append(buffer, count);
  }
  const int status = ::pclose(pipe);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return result;
}

}  // namespace strads::test
