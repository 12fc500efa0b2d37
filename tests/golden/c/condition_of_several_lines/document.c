void run(void)
{
    if (ready() &&
        <cursor>
