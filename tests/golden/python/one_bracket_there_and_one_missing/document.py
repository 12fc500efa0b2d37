def main():
    print(sum(<cursor>)
