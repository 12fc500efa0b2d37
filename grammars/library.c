/* Windows' linker is told to export the entry of a Python module, which this library is not. */
void *PyInit__grammars(void) { return 0; }
