#include "program/cluster/key_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "strads/program/execution_options.hpp"
#include "strads/program/option_table.hpp"

namespace strads {
namespace {

constexpr const char* kStdio = "-";
constexpr std::size_t kKeyTextMax = 4096;  ///< far more than a key has
constexpr mode_t kOthers = S_IRWXG | S_IRWXO;

/// A descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

std::string mode_text(mode_t mode) {
  std::array<char, 8> text{};
  (void)std::snprintf(text.data(), text.size(), "%04o", static_cast<unsigned>(mode & 07777U));
  return text.data();
}

/// Given as the name of a file that is not there. Whoever misread the option gave the key itself, or a password: shown
/// is what is surely a name: short, with an ending, or in a folder that there is.
bool may_be_a_secret(const std::string& given) {
  constexpr std::size_t kNameMax = 32, kEndingMax = 5;
  const std::filesystem::path path(given);
  std::error_code error;
  if (given.find_first_of("\r\n") != std::string::npos) return true;
  if (path.has_parent_path())
    return path.filename().string().size() >= kNameMax || !is_directory(path.parent_path(), error);
  const std::string ending = path.extension().string();  // ".key"
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return given.size() >= kNameMax || ending.size() < 2 || ending.size() > kEndingMax ||
         !std::all_of(ending.begin() + 1, ending.end(), is_letter);
}

/// Of this user, and nobody else can do anything with it.
bool is_private(const struct stat& facts) {
  return facts.st_uid == ::geteuid() && (facts.st_mode & kOthers) == 0;
}

/// Up to the last line of a key and no byte further: what follows on stdin is for others.
Result<std::string> read_key_text(int descriptor, const std::string& origin) {
  const std::string end = "\n" + std::string(kRunKeyEnd) + "\n";
  std::string text;
  char letter = 0;
  while (!text.ends_with(end)) {
    const auto count = ::read(descriptor, &letter, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Status::input(origin + ": cannot be read: " + std::strerror(errno));
    if (count == 0 || text.size() >= kKeyTextMax) break;  // whoever reads the text says what is wrong with it
    text += letter;
  }
  return text;
}

Result<RunKey> key_on(int descriptor, const std::string& origin) {
  STRADS_ASSIGN_OR_RETURN(const auto text, read_key_text(descriptor, origin));
  return parse_run_key(text, origin);
}

/// Nobody else can reach a socket in this folder.
bool is_in_private_folder(const std::string& endpoint) {
  constexpr std::string_view kIpc = "ipc://";
  if (!endpoint.starts_with(kIpc)) return false;
  const auto folder = std::filesystem::absolute(endpoint.substr(kIpc.size())).parent_path();
  struct stat facts {};
  return ::stat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) && is_private(facts);
}

}  // namespace

void add_key_options(OptionTable& table, KeyOptions& options, const std::string& section) {
  const OptionSection rows = table.section(section);
  rows.common(section.empty())
      .text("key", "FILE",
            "the key of the run, the same for driver and nodes: made by stradsd --new-key FILE, of mode 0600; -: it "
            "comes on stdin. Everything is encrypted, and nobody joins without it",
            &options.key);
  rows.flag("insecure",
            "no key: whoever reaches the endpoints can read, join and forge the run; for networks whose users are all "
            "trusted",
            &options.insecure);
  table.exclusive("key", "insecure");
}

Result<RunKey> read_key_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) {
    const std::string why = std::strerror(errno);
    if (may_be_a_secret(path)) {
      return Status::input(
          "--key: what was given is not shown, since it may be a secret itself: " + why +
          "; expected the name of a file, made by stradsd --new-key FILE. Make a new key if it was one: "
          "others on this machine can see command lines");
    }
    return Status::input(path + ": " + why + "; make a key with stradsd --new-key FILE");
  }
  struct stat facts {};
  if (::fstat(file.number(), &facts) != 0) return Status::input(path + ": " + std::strerror(errno));
  if (facts.st_uid != ::geteuid()) {
    return Status::input(path + ": belongs to another user (number " + std::to_string(facts.st_uid) +
                         "), who can read and change this key; expected a file of your own: make a copy of it with "
                         "install -m 600, or a new key with stradsd --new-key FILE");
  }
  if (!is_private(facts)) {
    return Status::input(path + ": mode " + mode_text(facts.st_mode) +
                         " lets others at this key, expected 0600; chmod 600 " + path +
                         ", and make a new key if somebody may have read it");
  }
  return key_on(file.number(), path);
}

Status write_new_key(const std::string& path) {
  STRADS_ASSIGN_OR_RETURN(const auto key, make_run_key());
  const std::string text = text_of(key);
  if (path == kStdio) {
    (void)std::fwrite(text.data(), 1, text.size(), stdout);  // run_program() looks whether all was written
    return {};
  }
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (file.number() < 0 && errno == EEXIST) {
    return Status::input(path + ": exists; a key is never written over: remove it first, or choose another name");
  }
  if (file.number() < 0) return Status::input(path + ": " + std::strerror(errno));
  if (::write(file.number(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    Status failed = Status::input(path + ": the key could not be written: " + std::strerror(errno));
    ::unlink(path.c_str());
    return failed;
  }
  return {};
}

Result<std::optional<RunKey>> key_of_run(const KeyOptions& options, const std::string& endpoint, KeyHolder holder) {
  if (options.insecure) return std::optional<RunKey>();
  if (options.key.empty()) {
    if (is_in_private_folder(endpoint)) return std::optional<RunKey>();
    return Status::usage(
        endpoint +
        ": others may reach this endpoint, and there is no key; make one with stradsd --new-key FILE and "
        "give driver and nodes --key FILE, or --insecure on a network whose users are all trusted" +
        (endpoint.starts_with("ipc://") ? "; a socket in a folder of mode 0700 needs no key" : ""));
  }
  STRADS_ASSIGN_OR_RETURN(
      auto key, options.key == kStdio ? key_on(STDIN_FILENO, "the key on stdin") : read_key_file(options.key));
  if (holder == KeyHolder::driver && key.driver_secret.empty()) {
    return Status::input(options.key + ": this key is that of a node, the driver needs the one with driver-secret");
  }
  return std::optional<RunKey>(std::move(key));
}

}  // namespace strads
