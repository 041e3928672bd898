// The key of a run, as a program gets it: from a file that nobody else can read, or from stdin. Layer: program.
#pragma once

#include <optional>
#include <string>

#include "strads/program/execution_options.hpp"
#include "strads/transport/run_key.hpp"

namespace strads {

/// Who asks: a node may have a key without driver-secret.
enum class KeyHolder { driver, node };

/// The key that the options name; nullopt where `endpoint` needs none: --insecure, or ipc in a folder of this user's
/// own. Errors: usage: it needs one; input: the file cannot be read, others can read it too, or it holds no key;
/// cluster: the libzmq of this machine cannot encrypt.
[[nodiscard]] Result<std::optional<RunKey>> key_of_run(const KeyOptions& options, const std::string& endpoint,
                                                       KeyHolder holder);

/// Errors: input: it cannot be read, or the file is not its owner's alone.
[[nodiscard]] Result<RunKey> read_key_file(const std::string& path);
/// A new key in a new file of mode 0600, or on stdout ("-"). Errors: input: the file exists or cannot be written;
/// cluster: as above.
[[nodiscard]] Status write_new_key(const std::string& path);

/// What --insecure means, for people.
inline constexpr const char* kInsecureWarning =
    "--insecure: nothing is encrypted, and whoever reaches this run's endpoints can read it, join it and forge its "
    "results; use a key (stradsd --new-key FILE, --key FILE) unless you trust everybody on this network";

}  // namespace strads
