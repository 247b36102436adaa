// threads
// ranks: 2 3 5 8
#include "known_messages.cpp"
