struct item {
    const char *name;
    <cursor>
};
