// threads
// ranks: 2 3
#include "waits_sleep.cpp"
