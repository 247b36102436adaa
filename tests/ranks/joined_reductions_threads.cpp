// threads
// ranks: 1 2 3 5
#include "joined_reductions.cpp"
