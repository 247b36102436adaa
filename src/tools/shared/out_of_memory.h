// Programs without memory say so and end, on whichever thread.
#pragma once

namespace xcoll::tools {

// To be called first in main().
void end_when_out_of_memory();

} // namespace xcoll::tools
