// threads
// ranks: 1 2 3 5 8
#include "heap.cpp"
