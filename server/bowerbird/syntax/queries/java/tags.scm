(class_declaration
  name: (_) @name) @definition.class

(record_declaration
  name: (_) @name) @definition.class

(interface_declaration
  name: (_) @name) @definition.interface

(annotation_type_declaration
  name: (_) @name) @definition.interface

(enum_declaration
  name: (_) @name) @definition.enum

(method_declaration
  name: (_) @name) @definition.method

(constructor_declaration
  name: (_) @name) @definition.method

(compact_constructor_declaration
  name: (_) @name) @definition.method

(program (_) @statement)
(block (_) @statement)
(class_body (_) @statement)
(constructor_body (_) @statement)
(interface_body (_) @statement)
(annotation_type_body (_) @statement)
(enum_body (_) @statement)
(enum_body_declarations (_) @statement)
(switch_block (_) @statement)
(switch_block_statement_group (_) @statement)
(line_comment) @lead
(block_comment) @lead
