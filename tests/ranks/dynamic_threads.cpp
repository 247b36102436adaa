// threads
// ranks: 1 2 3 5 7 8 13
// timeout: 120
#include "dynamic.cpp"
