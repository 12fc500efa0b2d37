export function total(items: Item[]): number {
  let sum = 0;
  <cursor>
