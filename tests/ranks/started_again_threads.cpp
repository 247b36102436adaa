// threads
// ranks: 2 3 5 8
#include "started_again.cpp"
