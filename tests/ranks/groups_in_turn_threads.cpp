// threads
// ranks: 1 2 3 5 7 8 13
#include "groups_in_turn.cpp"
