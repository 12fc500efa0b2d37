(package_definition
  name: (_) @name) @definition.module

(class_definition
  name: (_) @name) @definition.class

(method_definition
  name: (_) @name) @definition.method

(function_definition
  name: (_) @name) @definition.function

; Attributes: `x`, `x = 1`.
(class_body
  (expression_statement
    (identifier) @name) @definition.field)

(class_body
  (assignment
    left: (identifier) @name) @definition.field)

(call_expression
  function: (identifier) @name) @reference.call

(call_expression
  function: (member_expression
    member: (identifier) @name)) @reference.call

(new_expression
  class: (qualified_name
    (identifier) @name .)) @reference.class

(class_definition
  superclass: (qualified_name
    (identifier) @name .)) @reference.class
