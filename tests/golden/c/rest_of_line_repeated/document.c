int area(int width, int height)
{
    return <cursor> * height;
}
