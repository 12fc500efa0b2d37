(field_definition
  property: (property_identifier) @name
  value: [(arrow_function) (function_expression)]) @definition.method
