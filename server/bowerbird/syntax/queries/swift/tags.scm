; Classes, structures, actors, extensions and enumerations are one kind of node.
(class_declaration
  name: (_) @name) @definition.class

(protocol_declaration
  name: (_) @name) @definition.interface

(function_declaration
  name: (simple_identifier) @name) @definition.function

(protocol_function_declaration
  name: (simple_identifier) @name) @definition.function

(init_declaration
  name: "init" @name) @definition.method

(source_file (_) @statement)
(class_body (_) @statement)
(enum_class_body (_) @statement)
(protocol_body (_) @statement)
(statements (_) @statement)
(switch_statement (_) @statement)
(comment) @lead
(multiline_comment) @lead
