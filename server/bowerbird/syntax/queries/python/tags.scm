(class_definition
  name: (identifier) @name) @definition.class

(function_definition
  name: (identifier) @name) @definition.function

; Decorators belong to what they decorate.
(decorated_definition
  definition: (class_definition
    name: (identifier) @name)) @definition.class

(decorated_definition
  definition: (function_definition
    name: (identifier) @name)) @definition.function

(module (_) @statement)
(class_definition (_) @statement)
(block (_) @statement)
(comment) @lead
