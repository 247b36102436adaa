// threads
// ranks: 2 3 5 8
#include "uneven_habits.cpp"
