// threads
// ranks: 2 3
// timeout: 60
#include "trouble_elsewhere.cpp"
