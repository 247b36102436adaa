// threads
// ranks: 2 3
// timeout: 120
#include "late_messages.cpp"
