// threads
// ranks: 1 2 3 5
#include "known_somewhere.cpp"
