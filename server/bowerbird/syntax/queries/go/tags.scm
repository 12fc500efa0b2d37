(function_declaration
  name: (identifier) @name) @definition.function

; func (s *Shop) Total(): the receiver's type leads the dotted name.
(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (type_identifier) @scope
        (generic_type
          type: (type_identifier) @scope)
        (pointer_type
          (type_identifier) @scope)
        (pointer_type
          (generic_type
            type: (type_identifier) @scope))
      ]))
  name: (field_identifier) @name) @definition.method

(type_declaration
  . (type_spec
    name: (type_identifier) @name) .) @definition.type

; type ( ... ) with several inside.
(type_spec
  name: (type_identifier) @name) @definition.type

(source_file (_) @statement)
(statement_list (_) @statement)
(type_declaration (_) @statement)
(const_declaration (_) @statement)
(var_declaration (_) @statement)
(var_spec_list (_) @statement)
(field_declaration_list (_) @statement)
(interface_type (_) @statement)
(expression_switch_statement (_) @statement)
(type_switch_statement (_) @statement)
(select_statement (_) @statement)
(comment) @lead
