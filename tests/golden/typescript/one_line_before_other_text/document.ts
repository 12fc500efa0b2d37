function main() {
  const sum = <cursor> + shipping;
}
