// threads
// ranks: 2 3 5 8
// timeout: 120
#include "at_fault.cpp"
