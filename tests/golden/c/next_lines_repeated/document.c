int main(void)
{
    open_all();
    <cursor>
    close_all();
    return 0;
}
