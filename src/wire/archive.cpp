#include "wire/archive.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace strads::wire {

void OutArchive::save_binary(const void* address, std::size_t size) {
  const auto* bytes = static_cast<const std::byte*>(address);
  body_.insert(body_.end(), bytes, bytes + size);
}

void OutArchive::save(const std::string& text) {
  save(static_cast<std::uint64_t>(text.size()));
  save_binary(text.data(), text.size());
}

void OutArchive::save(const Payload& payload) {
  save(static_cast<std::uint64_t>(payload.ids.size()));
  save(static_cast<std::uint64_t>(payload.values.size()));
  add_bulk(std::as_bytes(std::span(payload.ids)));
  add_bulk(std::as_bytes(std::span(payload.values)));
}

void OutArchive::add_bulk(std::span<const std::byte> array) {
  while (!array.empty()) {
    const std::size_t size = std::min(array.size(), kFrameBytesMax);
    bulk_.push_back(array.first(size));
    array = array.subspan(size);
  }
}

InArchive::InArchive(FrameView body, std::span<const FrameView> bulk) : body_(body), bulk_(bulk) {
  for (const FrameView frame : bulk) bulk_bytes_ += frame.size();
}

void InArchive::at(const char* message, const char* field) {
  if (status_.ok()) where_ = std::string(message) + "." + field;
}

void InArchive::fail(const std::string& what) {
  if (status_.ok()) status_ = Status::cluster(where_ + ": " + what);
}

void InArchive::load_binary(void* address, std::size_t size) {
  if (!status_.ok() || size == 0) return;
  if (size > body_.size()) {
    return fail(std::to_string(size) + " bytes expected, found the last " + std::to_string(body_.size()) +
                " of the body; the message was cut or comes from another build");
  }
  std::memcpy(address, body_.data(), size);
  body_ = body_.subspan(size);
}

std::size_t InArchive::load_count(std::size_t width, std::size_t left, const char* what_is_left) {
  std::uint64_t count = 0;
  load(count);
  // A count in the body also uses up its own eight bytes; being off by that much is caught when the items are read.
  if (count <= left / width) return static_cast<std::size_t>(count);
  fail("a count of " + std::to_string(count) + " items of " + std::to_string(width) + " bytes, but only " +
       std::to_string(left) + " " + what_is_left);
  return 0;
}

void InArchive::load(std::string& text) {
  const std::size_t size = load_count(1, body_.size(), "bytes are left in the body");
  if (!status_.ok()) return;
  text.resize(size);
  load_binary(text.data(), size);
}

void InArchive::load(Payload& payload) {
  const char* const left = "bytes of bulk frames are left";
  const std::size_t ids = load_count(sizeof(VarId), bulk_bytes_, left);
  const std::size_t values = load_count(sizeof(double), bulk_bytes_ - ids * sizeof(VarId), left);
  if (!status_.ok()) return;
  payload.ids.resize(ids);
  payload.values.resize(values);
  take_bulk(std::as_writable_bytes(std::span(payload.ids)));
  take_bulk(std::as_writable_bytes(std::span(payload.values)));
  if (!status_.ok()) return;
  const auto found =
      std::find_if_not(payload.values.begin(), payload.values.end(), [](double v) { return std::isfinite(v); });
  if (found != payload.values.end()) {
    fail("values[" + std::to_string(found - payload.values.begin()) + "] is " +
         (std::isnan(*found) ? "NaN" : "infinite") +
         ", expected a finite number: one such value would poison every coefficient of the run");
  }
}

void InArchive::take_bulk(std::span<std::byte> array) {
  while (status_.ok() && !array.empty()) {
    const std::size_t expected = std::min(array.size(), kFrameBytesMax);
    const std::size_t found = bulk_.empty() ? 0 : bulk_.front().size();
    if (found != expected) {
      return fail("a bulk frame of " + std::to_string(found) + " bytes, expected " + std::to_string(expected));
    }
    std::memcpy(array.data(), bulk_.front().data(), expected);
    array = array.subspan(expected);
    bulk_ = bulk_.subspan(1);
    bulk_bytes_ -= expected;
  }
}

Status InArchive::finish() {
  if (!body_.empty()) fail(std::to_string(body_.size()) + " bytes of the body are left over after the last field");
  if (!bulk_.empty()) fail(std::to_string(bulk_.size()) + " bulk frames are left over after the last field");
  return status_;
}

}  // namespace strads::wire
