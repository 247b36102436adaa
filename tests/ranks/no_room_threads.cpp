// threads
// ranks: 2 3 8
// env: XCOLL_SHM_BUDGET=1M XCOLL_LEND=1G XCOLL_TIMEOUT=40
// timeout: 120
#include "no_room.cpp"
