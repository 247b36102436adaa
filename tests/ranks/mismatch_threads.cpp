// threads
// ranks: 2 3 5 8
// env: XCOLL_TIMEOUT=40
// timeout: 120
#include "mismatch.cpp"
