#include "program/status/status_page.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "program/status/metrics_text.hpp"
#include "strads/program/program.hpp"
#include "strads/program/result_files.hpp"

namespace strads {
namespace {

constexpr std::size_t kTokenBytes = 16;

Status expect_folder_of(const std::string& file) {
  if (file.empty()) return {};
  const auto folder = std::filesystem::absolute(file).parent_path();
  if (std::error_code error; std::filesystem::is_directory(file, error)) {
    return Status::usage("--metrics-file: " + file + " is a directory, expected the name of a file");
  }
  if (::access(folder.c_str(), W_OK) == 0) return {};
  return Status::usage("--metrics-file: no file can be made in " + folder.string() + ": " + std::strerror(errno) +
                       "; name a folder that is there and that you may write to");
}

}  // namespace

StatusPage::StatusPage(const StatusOptions& options, const std::string& command)
    : program_(command.substr(0, command.find(' '))),
      metrics_file_(options.metrics_file),
      board_(facts_of_process(command)) {}

StatusPage::~StatusPage() = default;

Result<std::unique_ptr<StatusPage>> StatusPage::open(const StatusOptions& options, const std::string& command) {
  std::unique_ptr<StatusPage> page;
  if (options.address.empty() && options.metrics_file.empty()) return page;
  if (Status known = expect_folder_of(options.metrics_file); !known.ok()) return known;
  page = std::make_unique<StatusPage>(options, command);
  if (options.address.empty()) return page;
  if (Status listening = page->listen(options.address); !listening.ok()) return listening;
  return page;
}

Status StatusPage::listen(const std::string& text) {
  STRADS_ASSIGN_OR_RETURN(const auto address, parse_status_address(text));
  STRADS_ASSIGN_OR_RETURN(server_, StatusServer::listen(address));
  StatusAccess access{address.loopback, address.loopback ? "" : random_hex(kTokenBytes)};
  const bool is_any = address.host == "0.0.0.0" || address.host == "::";
  print_note(program_, "status at http://" + (is_any ? board_.facts().host : host_in_url(address.host)) + ":" +
                           std::to_string(server_->port()) + "/" + access.token + (access.token.empty() ? "" : "/"));
  server_->serve(board_, std::move(access));
  return {};
}

Status StatusPage::finish(const Status& outcome) {
  board_.note_end(static_cast<int>(outcome.code()), outcome.message());
  if (server_ != nullptr) server_->finish();
  if (metrics_file_.empty()) return {};
  StatusView view = board_.view(0, 0);
  view.memory = memory_of_process();
  return write_file(metrics_file_, metrics_text(view));
}

}  // namespace strads
