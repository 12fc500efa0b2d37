(function_item
  name: (_) @name) @definition.function

(function_signature_item
  name: (_) @name) @definition.function

(struct_item
  name: (_) @name) @definition.struct

(union_item
  name: (_) @name) @definition.struct

(enum_item
  name: (_) @name) @definition.enum

(trait_item
  name: (_) @name) @definition.interface

; What is implemented for a type goes by the type's name.
(impl_item
  type: [
    (type_identifier) @name
    (primitive_type) @name
    (generic_type
      type: (type_identifier) @name)
    (scoped_type_identifier
      name: (type_identifier) @name)
  ]) @definition.class

(mod_item
  name: (_) @name
  body: (_)) @definition.module

(macro_definition
  name: (_) @name) @definition.macro

(source_file (_) @statement)
(block (_) @statement)
(declaration_list (_) @statement)
(field_declaration_list (_) @statement)
(enum_variant_list (_) @statement)
(match_block (_) @statement)
(line_comment) @lead
(block_comment) @lead

; Attributes stand before an item as its siblings.
(attribute_item) @lead
