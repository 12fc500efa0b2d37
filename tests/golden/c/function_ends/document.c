#include <stdio.h>

int sum(const int *items, int count)
{
    int total = 0;
    <cursor>
