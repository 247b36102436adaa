// threads
// ranks: 2 3 5 8 13
#include "shared_work.cpp"
