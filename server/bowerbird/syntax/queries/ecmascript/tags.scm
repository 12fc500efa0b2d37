; What JavaScript, TypeScript and TSX share.

(class_declaration
  name: (_) @name) @definition.class

(function_declaration
  name: (_) @name) @definition.function

(generator_function_declaration
  name: (_) @name) @definition.function

(method_definition
  name: (_) @name) @definition.method

(export_statement
  declaration: (class_declaration
    name: (_) @name)) @definition.class

(export_statement
  declaration: [
    (function_declaration
      name: (_) @name)
    (generator_function_declaration
      name: (_) @name)
  ]) @definition.function

; const total = () => ...
(lexical_declaration
  (variable_declarator
    name: (identifier) @name
    value: [(arrow_function) (function_expression) (generator_function)])) @definition.function

(variable_declaration
  (variable_declarator
    name: (identifier) @name
    value: [(arrow_function) (function_expression) (generator_function)])) @definition.function

(export_statement
  declaration: (lexical_declaration
    (variable_declarator
      name: (identifier) @name
      value: [(arrow_function) (function_expression) (generator_function)]))) @definition.function

; const Shop = class ...
(lexical_declaration
  (variable_declarator
    name: (identifier) @name
    value: (class))) @definition.class

; Shop.prototype.total = function ..., exports.total = ...
(expression_statement
  (assignment_expression
    left: [
      (identifier) @name
      (member_expression
        property: (_) @name)
    ]
    right: [(arrow_function) (function_expression) (generator_function)])) @definition.function

; { total: function ... }
(pair
  key: (property_identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @definition.function

(program (_) @statement)
(statement_block (_) @statement)
(class_body (_) @statement)
(switch_body (_) @statement)
(switch_case (_) @statement)
(switch_default (_) @statement)
(comment) @lead
