function main() {
  console.log(<cursor>);
}
