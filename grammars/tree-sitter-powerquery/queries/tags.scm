; What a document defines ...

(section_document
  name: (_) @name) @definition.module

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

(field
  name: (_) @name
  value: (function_expression)) @definition.method

; ... and what it refers to.

(invoke_expression
  function: (identifier) @name) @reference.call

(invoke_expression
  function: (quoted_identifier) @name) @reference.call

(invoke_expression
  function: (predefined_identifier) @name) @reference.call

(section_access_expression
  name: (_) @name) @reference.variable
