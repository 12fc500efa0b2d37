(class_definition
  name: (_) @name) @definition.class

(object_definition
  name: (_) @name) @definition.class

(trait_definition
  name: (_) @name) @definition.interface

(enum_definition
  name: (_) @name) @definition.enum

(function_definition
  name: (_) @name) @definition.function

(function_declaration
  name: (_) @name) @definition.function

(compilation_unit (_) @statement)
(template_body (_) @statement)
(enum_body (_) @statement)
(block (_) @statement)
(indented_block (_) @statement)
(case_block (_) @statement)
(case_clause (_) @statement)
(comment) @lead
(block_comment) @lead
