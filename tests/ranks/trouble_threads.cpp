// threads
// ranks: 2 3 8
#include "trouble.cpp"
