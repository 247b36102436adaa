// threads
// ranks: 1 2 3
// timeout: 200
#include "thousands_of_operations.cpp"
