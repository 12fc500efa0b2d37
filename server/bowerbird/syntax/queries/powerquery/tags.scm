(section_member
  name: (_) @name
  value: (function_expression)) @definition.function

(section_member
  name: (_) @name) @definition.variable

(variable
  name: (_) @name
  value: (function_expression)) @definition.function

(variable
  name: (_) @name) @definition.variable

; [ Total = (goods) => ... ]
(field
  name: (_) @name
  value: (function_expression)) @definition.method

(document (_) @statement)
(section_document (_) @statement)
(let_expression (_) @statement)
(record_expression (_) @statement)
(comment) @lead
