// threads
// ranks: 1 2 3 5
// timeout: 60
#include "ended_alone.cpp"
