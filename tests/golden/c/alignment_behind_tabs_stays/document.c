void run(void)
{
	start();
	<cursor>
}
