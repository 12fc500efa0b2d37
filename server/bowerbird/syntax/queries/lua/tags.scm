(function_declaration
  name: (_) @name) @definition.function

; M.total = function() ... end
(assignment_statement
  (variable_list . name: (_) @name)
  (expression_list . value: (function_definition))) @definition.function

; local total = function() ... end
(variable_declaration
  (assignment_statement
    (variable_list . name: (_) @name)
    (expression_list . value: (function_definition)))) @definition.function

; { total = function() ... end }
(field
  name: (identifier) @name
  value: (function_definition)) @definition.function

(chunk (_) @statement)
(block (_) @statement)
(comment) @lead
