(namespace_definition
  name: (_) @name
  body: (_)) @definition.module

(class_declaration
  name: (_) @name) @definition.class

(trait_declaration
  name: (_) @name) @definition.class

(interface_declaration
  name: (_) @name) @definition.interface

(enum_declaration
  name: (_) @name) @definition.enum

(method_declaration
  name: (_) @name) @definition.method

(function_definition
  name: (_) @name) @definition.function

(program (_) @statement)
(compound_statement (_) @statement)
(colon_block (_) @statement)
(declaration_list (_) @statement)
(enum_declaration_list (_) @statement)
(switch_block (_) @statement)
(case_statement (_) @statement)
(default_statement (_) @statement)
(comment) @lead
