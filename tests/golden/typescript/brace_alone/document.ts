function main() {
  run();
<cursor>
