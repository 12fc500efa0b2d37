function sign(n: number) {
  if (n < 0) {
    <cursor>
  }
}
