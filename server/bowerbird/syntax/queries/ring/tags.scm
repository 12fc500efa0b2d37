(package_definition
  name: (_) @name) @definition.module

(class_definition
  name: (_) @name) @definition.class

(method_definition
  name: (_) @name) @definition.method

(function_definition
  name: (_) @name) @definition.function

; total = func a, b { ... }
(assignment
  left: (_) @name
  right: (anonymous_function)) @definition.function

; [:total = func a, b { ... }]
(pair
  key: (symbol (name) @name)
  value: (anonymous_function)) @definition.function

(source_file (_) @statement)
(package_body (_) @statement)
(class_body (_) @statement)
(block (_) @statement)
(if_statement (_) @statement)
(elseif_clause (_) @statement)
(else_clause (_) @statement)
(switch_statement (_) @statement)
(case_clause (_) @statement)
(try_statement (_) @statement)
(catch_clause (_) @statement)
(comment) @lead
