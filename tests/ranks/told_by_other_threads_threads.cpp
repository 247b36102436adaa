// threads
// ranks: 1 2 3
// timeout: 120
#include "told_by_other_threads.cpp"
