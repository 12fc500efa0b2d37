(namespace_definition
  name: (_) @name) @definition.module

(class_specifier
  name: (_) @name
  body: (_)) @definition.class

(concept_definition
  name: (_) @name) @definition.type

(function_definition
  declarator: (reference_declarator
    (function_declarator
      declarator: (_) @name))) @definition.function

; template <typename T> belongs to what it makes generic.
(template_declaration
  (class_specifier
    name: (_) @name
    body: (_))) @definition.class

(template_declaration
  (struct_specifier
    name: (_) @name
    body: (_))) @definition.struct

(template_declaration
  (concept_definition
    name: (_) @name)) @definition.type

(template_declaration
  (function_definition
    declarator: (function_declarator
      declarator: (_) @name))) @definition.function

(template_declaration
  (function_definition
    declarator: (pointer_declarator
      declarator: (function_declarator
        declarator: (_) @name)))) @definition.function

(template_declaration
  (function_definition
    declarator: (reference_declarator
      (function_declarator
        declarator: (_) @name)))) @definition.function
