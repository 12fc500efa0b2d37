function main() {
  const options = {<cursor>
}
