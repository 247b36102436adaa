// threads
// ranks: 1 2 3 5 7 8 13
// timeout: 200
#include "messages_in_order.cpp"
