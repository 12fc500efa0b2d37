; grammars/tree-sitter-powerquery/queries/highlights.scm says the same for the tree-sitter command.
; A later pattern wins over an earlier one.

(identifier) @variable
(quoted_identifier) @variable

(variable name: (_) @variable)
(section_member name: (_) @variable)
(parameter name: (_) @variable.parameter)
(parameter_specification name: (_) @variable.parameter)
(catch_function parameter: (_) @variable.parameter)

(generalized_identifier) @property
(field name: (_) @property)
(field_access_expression name: (_) @property)
(field_selector name: (_) @property)
(field_specification name: (_) @property)

; A name that holds a function, and a name that is called.
(variable name: (_) @function value: (function_expression))
(section_member name: (_) @function value: (function_expression))
(field name: (_) @function value: (function_expression))
(invoke_expression function: (identifier) @function)
(invoke_expression function: (quoted_identifier) @function)

(section_document name: (_) @module)
(section_access_expression section: (_) @module)

(predefined_identifier) @function.builtin
(primitive_type) @type.builtin

(text_literal) @string
(verbatim_literal) @string.special
(number_literal) @number
(logical_literal) @boolean
(null_literal) @constant.builtin
(not_implemented_expression) @constant.builtin
(comment) @comment @spell

; `_` is what `each` runs over.
((identifier) @variable.builtin
  (#eq? @variable.builtin "_"))

[
  "as" "catch" "each" "else" "error" "if" "in" "let" "optional" "otherwise" "section" "shared" "then"
  "try" "type"
] @keyword

(function_type "function" @keyword)
(table_type "table" @keyword)
(nullable_type "nullable" @keyword)

[ "and" "is" "meta" "not" "or" ] @keyword.operator

[ "=" "<>" "<" "<=" ">" ">=" "+" "-" "*" "/" "&" "=>" ".." "??" "?" "@" "!" ] @operator

(open_record_marker) @operator

[ "(" ")" "[" "]" "{" "}" ] @punctuation.bracket
[ "," ";" ] @punctuation.delimiter
