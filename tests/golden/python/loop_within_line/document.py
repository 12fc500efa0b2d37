words = <cursor>
