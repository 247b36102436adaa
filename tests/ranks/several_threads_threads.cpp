// threads
// ranks: 1 2 3 5
#include "several_threads.cpp"
