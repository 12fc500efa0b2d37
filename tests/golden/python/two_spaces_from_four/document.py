def count(items):
  return len(items)


def total(items):
  for item in items:
    if item:
      <cursor>
