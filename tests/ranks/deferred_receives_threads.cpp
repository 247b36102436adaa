// threads
// ranks: 1 2 3 5 8
// timeout: 120
#include "deferred_receives.cpp"
