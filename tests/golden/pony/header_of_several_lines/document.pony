class Dice
  fun ref roll(
    <cursor>
