// threads
// ranks: 1 2 3 5
#include "typed_messages.cpp"
