(abstract_class_declaration
  name: (_) @name) @definition.class

(interface_declaration
  name: (_) @name) @definition.interface

(enum_declaration
  name: (_) @name) @definition.enum

(type_alias_declaration
  name: (_) @name) @definition.type

(internal_module
  name: (_) @name) @definition.module

(module
  name: (identifier) @name) @definition.module

(export_statement
  declaration: (abstract_class_declaration
    name: (_) @name)) @definition.class

(export_statement
  declaration: (interface_declaration
    name: (_) @name)) @definition.interface

(export_statement
  declaration: (enum_declaration
    name: (_) @name)) @definition.enum

(export_statement
  declaration: (type_alias_declaration
    name: (_) @name)) @definition.type

(public_field_definition
  name: (property_identifier) @name
  value: [(arrow_function) (function_expression)]) @definition.method

(abstract_method_signature
  name: (_) @name) @definition.method

(interface_body (_) @statement)
(enum_body (_) @statement)

; A decorator stands before a method as its sibling.
(decorator) @lead
