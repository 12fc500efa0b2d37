; C, and what C++ shares with it.

; The name hides behind as many stars as the function returns.
(function_definition
  declarator: (function_declarator
    declarator: (_) @name)) @definition.function

(function_definition
  declarator: (pointer_declarator
    declarator: (function_declarator
      declarator: (_) @name))) @definition.function

(function_definition
  declarator: (pointer_declarator
    declarator: (pointer_declarator
      declarator: (function_declarator
        declarator: (_) @name)))) @definition.function

(struct_specifier
  name: (_) @name
  body: (_)) @definition.struct

(union_specifier
  name: (_) @name
  body: (_)) @definition.struct

(enum_specifier
  name: (_) @name
  body: (_)) @definition.enum

; typedef struct { ... } Shop;
(type_definition
  type: (struct_specifier
    !name
    body: (_))
  declarator: (type_identifier) @name) @definition.struct

(type_definition
  type: (union_specifier
    !name
    body: (_))
  declarator: (type_identifier) @name) @definition.struct

(type_definition
  type: (enum_specifier
    !name
    body: (_))
  declarator: (type_identifier) @name) @definition.enum

(preproc_function_def
  name: (_) @name) @definition.macro

(translation_unit (_) @statement)
(compound_statement (_) @statement)
(field_declaration_list (_) @statement)
(enumerator_list (_) @statement)
(declaration_list (_) @statement)
(case_statement (_) @statement)
(preproc_if (_) @statement)
(preproc_ifdef (_) @statement)
(preproc_else (_) @statement)
(preproc_elif (_) @statement)
(comment) @lead
