function main() {
  const total = sum(<cursor>)
}
