function main() {
  <cursor>
}
