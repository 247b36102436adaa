// A job whose ranks meet over TCP, once it is known where.
#pragma once

#include <memory>
#include <string>

#include "boot/boot.h"
#include "boot/meeting.h"

namespace xcoll {

// `place` is what people call the meeting place.
std::unique_ptr<Bootstrap> boot_meeting(Invitation invitation, const std::string &place);

} // namespace xcoll
