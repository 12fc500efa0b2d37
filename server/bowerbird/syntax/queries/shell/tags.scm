(function_definition
  name: (_) @name) @definition.function

(program (_) @statement)
(compound_statement (_) @statement)
(subshell (_) @statement)
(do_group (_) @statement)
(case_statement (_) @statement)
(case_item (_) @statement)
(if_statement (_) @statement)
(elif_clause (_) @statement)
(else_clause (_) @statement)
(comment) @lead
