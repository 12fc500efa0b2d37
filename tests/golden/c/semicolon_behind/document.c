int main(void)
{
    printf("%d\n", <cursor>);
}
