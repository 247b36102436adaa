// threads
// ranks: 2 3
#include "refused_starts.cpp"
