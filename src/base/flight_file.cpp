#include "base/flight_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>

#include "base/descriptor.h"
#include "base/file_space.h"
#include "xcoll.h"

namespace xcoll {

namespace {

using flight::FileHeader;
using flight::page_bytes;
using flight::Record;
using flight::record_bytes;

constexpr size_t records_of_page = page_bytes / record_bytes;

} // namespace

void FlightFile::open() {
    opened_ = true;
    const int file = above_standard(memfd_create(flight::file_name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (file < 0) {
        return;
    }
    // Sealed, so that whoever maps it relies on what is there.
    const bool is_ready = add_file_space(file, 0, page_bytes) == 0 && fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK) == 0;
    void *base = is_ready ? mmap(nullptr, space, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (base == MAP_FAILED) {
        ::close(file);
        return;
    }
    madvise(base, space, MADV_DONTFORK); // a child of fork does not write into its parent's records
    descriptor_ = file;
    base_ = static_cast<char *>(base);
    auto *header = new (base) FileHeader{};
    header->layout = flight::layout;
    header->record_bytes = record_bytes;
    header->pid = getpid();
    header->version[0] = XCOLL_VERSION_MAJOR;
    header->version[1] = XCOLL_VERSION_MINOR;
    header->version[2] = XCOLL_VERSION_PATCH;
    show(header->magic, flight::magic);
}

// One page more.
bool FlightFile::grow() {
    free_.reserve(there_ + records_of_page); // whoever gives one back cannot fail
    const size_t at = page_bytes + there_ * record_bytes;
    if (!base_ || there_ + records_of_page > most_records || add_file_space(descriptor_, at, page_bytes) != 0) {
        return false;
    }
    for (size_t i = records_of_page; i-- > 0;) {
        free_.push_back(new (base_ + at + i * record_bytes) Record{});
    }
    there_ += records_of_page;
    return true;
}

std::shared_ptr<Record> FlightFile::take() {
    Record *record = take_shown();
    return record ? std::shared_ptr<Record>(record, [this](Record *used) { give(used); }) : std::make_shared<Record>();
}

Record *FlightFile::take_shown() {
    const std::lock_guard lock(mutex_);
    if (!opened_) {
        open();
    }
    if (free_.empty() && !grow()) {
        return nullptr;
    }
    Record *record = free_.back();
    free_.pop_back();
    auto *words = reinterpret_cast<uint64_t *>(record);
    std::for_each(words, words + flight::words_in_record, [](uint64_t &word) { show(word, uint64_t{0}); });
    show(record->used, ++uses_);
    return record;
}

void FlightFile::give(Record *record) {
    const std::lock_guard lock(mutex_);
    show(record->used, uint64_t{0});
    free_.push_back(record);
    if (free_.size() == there_) {
        close();
    }
}

// Nobody is shown any more: a library that is unloaded leaves nothing behind.
void FlightFile::close() {
    munmap(base_, space);
    ::close(descriptor_);
    free_.clear();
    there_ = 0;
    opened_ = false;
}

} // namespace xcoll
