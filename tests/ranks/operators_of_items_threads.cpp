// threads
// ranks: 1 2 3 5
// timeout: 120
#include "operators_of_items.cpp"
