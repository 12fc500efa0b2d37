class Words
  fun list(): Array[String] val =>
    recover val
      <cursor>
    end
