for <cursor>
