// threads
// ranks: 2 3 5
#include "refused_groups.cpp"
