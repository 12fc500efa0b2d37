(class_definition
  (identifier) @name) @definition.class

(actor_definition
  (identifier) @name) @definition.class

(primitive_definition
  (identifier) @name) @definition.class

(struct_definition
  (identifier) @name) @definition.struct

(trait_definition
  (identifier) @name) @definition.interface

(interface_definition
  (identifier) @name) @definition.interface

(type_alias
  (identifier) @name) @definition.type

(constructor
  (identifier) @name) @definition.method

(method
  (identifier) @name) @definition.method

(behavior
  (identifier) @name) @definition.method

(source_file (_) @statement)
(class_definition (_) @statement)
(actor_definition (_) @statement)
(primitive_definition (_) @statement)
(struct_definition (_) @statement)
(trait_definition (_) @statement)
(interface_definition (_) @statement)
(members (_) @statement)
(block (_) @statement)
(match_statement (_) @statement)
(line_comment) @lead
(block_comment) @lead
