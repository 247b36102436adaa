// threads
// ranks: 2 3 5
#include "refused_by_several.cpp"
