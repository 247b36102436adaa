// threads
// ranks: 2 3 5
#include "root_in_place.cpp"
