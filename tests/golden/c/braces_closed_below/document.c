int main(void)
{
    if (ready()) {
        <cursor>
    }
    return 0;
}
