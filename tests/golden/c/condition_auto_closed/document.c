int main(void)
{
    if (<cursor>)
        return 1;
    return 0;
}
