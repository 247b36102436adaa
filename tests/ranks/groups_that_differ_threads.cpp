// threads
// ranks: 2 3 5
#include "groups_that_differ.cpp"
