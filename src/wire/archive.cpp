#include "wire/archive.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "strads/base/all_finite.hpp"

namespace strads::wire {

namespace {

constexpr const char* kBulkLeft = "bytes of bulk frames are left";
constexpr const char* kBodyLeft = "bytes are left in the body";
constexpr std::size_t kUsualBody = 256;  ///< the fields of most messages

}  // namespace

void OutArchive::save_binary(const void* address, std::size_t size) {
  const auto* bytes = static_cast<const std::byte*>(address);
  body_.reserve(kUsualBody);
  body_.insert(body_.end(), bytes, bytes + size);
}

void OutArchive::save(const std::string& text) {
  save(static_cast<std::uint64_t>(text.size()));
  save_binary(text.data(), text.size());
}

void OutArchive::save(const Payload& payload) {
  save(static_cast<std::uint64_t>(payload.ids.size()));
  save(static_cast<std::uint64_t>(payload.values.size()) | (payload.bulk.empty() ? 0 : kHasArrays));
  if (!payload.bulk.empty()) {
    save(static_cast<std::uint64_t>(payload.bulk.size()));
    for (const SharedFloats& array : payload.bulk) save(static_cast<std::uint64_t>(array.size()));
  }
  add_bulk(std::as_bytes(std::span(payload.ids)));
  add_bulk(std::as_bytes(std::span(payload.values)));
  for (const SharedFloats& array : payload.bulk) add_bulk(std::as_bytes(array.view()));
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
  if (!status_.ok()) return;
  where_.assign(message);  // keeps its memory: this is done for every field of every message
  where_ += '.';
  where_ += field;
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
  return checked(count, width, left, what_is_left);
}

std::size_t InArchive::checked(std::uint64_t count, std::size_t width, std::size_t left, const char* what_is_left) {
  // A count in the body also uses up its own eight bytes; being off by that much is caught when the items are read.
  if (count <= left / width) return static_cast<std::size_t>(count);
  fail("a count of " + std::to_string(count) + " items of " + std::to_string(width) + " bytes, but only " +
       std::to_string(left) + " " + what_is_left);
  return 0;
}

void InArchive::load(std::string& text) {
  const std::size_t size = load_count(1, body_.size(), kBodyLeft);
  if (!status_.ok()) return;
  text.resize(size);
  load_binary(text.data(), size);
}

void InArchive::load(Payload& payload) {
  const std::size_t ids = load_count(sizeof(VarId), bulk_bytes_, kBulkLeft);
  std::size_t left = bulk_bytes_ - ids * sizeof(VarId);
  std::uint64_t count = 0;
  load(count);
  const std::size_t values = checked(count & ~kHasArrays, sizeof(double), left, kBulkLeft);
  left -= values * sizeof(double);
  std::vector<std::size_t> sizes;
  if ((count & kHasArrays) != 0) sizes = load_sizes(left);
  if (!status_.ok()) return;
  payload.ids.resize(ids);
  payload.values.resize(values);
  payload.bulk.clear();
  payload.bulk.reserve(sizes.size());
  take_bulk(std::as_writable_bytes(std::span(payload.ids)));
  take_bulk(std::as_writable_bytes(std::span(payload.values)));
  refuse_non_finite(std::span<const double>(payload.values), "values");
  for (std::size_t i = 0; i < sizes.size() && status_.ok(); ++i) {
    SharedFloats& array = payload.bulk.emplace_back(sizes[i]);
    take_bulk(std::as_writable_bytes(array.writable()));
    refuse_non_finite(array.view(), "bulk[" + std::to_string(i) + "]");
  }
}

std::vector<std::size_t> InArchive::load_sizes(std::size_t left) {
  const std::size_t count = load_count(sizeof(std::uint64_t), body_.size(), kBodyLeft);
  if (!status_.ok()) return {};
  if (count == 0) fail("a list of no arrays of floats, expected at least one or no list");
  std::vector<std::size_t> sizes;
  sizes.reserve(count);
  while (sizes.size() < count && status_.ok()) {
    sizes.push_back(load_count(sizeof(float), left, kBulkLeft));
    left -= sizes.back() * sizeof(float);
  }
  return sizes;
}

template <class Number>
void InArchive::refuse_non_finite(std::span<const Number> numbers, const std::string& name) {
  if (!status_.ok() || all_finite(numbers)) return;
  const auto found = std::find_if_not(numbers.begin(), numbers.end(), [](Number v) { return std::isfinite(v); });
  fail(name + "[" + std::to_string(found - numbers.begin()) + "] is " + (std::isnan(*found) ? "NaN" : "infinite") +
       ", expected a finite number: one such value would poison every coefficient of the run");
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
