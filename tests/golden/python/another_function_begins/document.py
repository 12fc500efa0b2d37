import os


def first(path):
    return os.listdir(path)[0]


def last(<cursor>
