(namespace_declaration
  name: (_) @name) @definition.module

(class_declaration
  name: (_) @name) @definition.class

(record_declaration
  name: (_) @name) @definition.class

(struct_declaration
  name: (_) @name) @definition.struct

(interface_declaration
  name: (_) @name) @definition.interface

(enum_declaration
  name: (_) @name) @definition.enum

(delegate_declaration
  name: (_) @name) @definition.type

(method_declaration
  name: (_) @name) @definition.method

(constructor_declaration
  name: (_) @name) @definition.method

(destructor_declaration
  name: (_) @name) @definition.method

(property_declaration
  name: (_) @name) @definition.property

(local_function_statement
  name: (_) @name) @definition.function

(compilation_unit (_) @statement)
(block (_) @statement)
(declaration_list (_) @statement)
(enum_member_declaration_list (_) @statement)
(accessor_list (_) @statement)
(switch_body (_) @statement)
(switch_section (_) @statement)
(comment) @lead
