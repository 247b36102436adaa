// threads
// ranks: 2 3
// timeout: 120
#include "long_exchanges.cpp"
