// threads
// ranks: 1 2 3 5 8
// timeout: 120
#include "sent_at_once.cpp"
