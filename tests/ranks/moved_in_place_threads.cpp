// threads
// ranks: 2 3 5 8
#include "moved_in_place.cpp"
