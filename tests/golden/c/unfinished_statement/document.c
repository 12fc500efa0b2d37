int main(void)
{
    <cursor>
}
