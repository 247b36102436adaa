// threads
// ranks: 1 2 3 5
#include "stages_in_flight.cpp"
