; For the grammar that nvim-treesitter and tree_sitter_language_pack bring.
; A later pattern wins over an earlier one.
(identifier) @variable

((identifier) @type
  (#lua-match? @type "^_?%u"))

[
  (this)
] @variable.builtin

(boolean) @boolean
(number) @number
(float) @number.float
(string) @string
(character) @character
(escape_sequence) @string.escape
(line_comment) @comment @spell
(block_comment) @comment @spell

(base_type name: (identifier) @type)
(capability) @keyword.modifier
(annotation (identifier) @attribute)
(generic_parameter (identifier) @type)

(class_definition (identifier) @type)
(actor_definition (identifier) @type)
(primitive_definition (identifier) @type)
(struct_definition (identifier) @type)
(trait_definition (identifier) @type)
(interface_definition (identifier) @type)
(type_alias (identifier) @type)

; The text right behind a definition's head, and the first of a method, is its documentation.
(class_definition (string) @string.documentation @spell)
(actor_definition (string) @string.documentation @spell)
(primitive_definition (string) @string.documentation @spell)
(struct_definition (string) @string.documentation @spell)
(trait_definition (string) @string.documentation @spell)
(interface_definition (string) @string.documentation @spell)

(field name: (identifier) @variable.member)
(member_expression (_) (identifier) @variable.member)
(parameter name: (identifier) @variable.parameter)
(lambda_parameter name: (identifier) @variable.parameter)

(constructor (identifier) @constructor)
(method (identifier) @function.method)
(behavior (identifier) @function.method)
(ffi_identifier (identifier) @function)
(ffi_method (identifier) @function)
(call_expression callee: (identifier) @function.call)
(call_expression callee: (member_expression (_) (identifier) @function.method.call))

[
  "actor" "as" "be" "class" "consume" "do" "embed" "end" "fun" "interface" "is" "let" "new" "object"
  "primitive" "recover" "struct" "trait" "type" "var" "where" "with"
] @keyword

[ "if" "ifdef" "iftype" "then" "elseif" "else" "match" ] @keyword.conditional
[ "for" "in" "while" "repeat" "until" ] @keyword.repeat
"try" @keyword.exception
(error) @keyword.exception
"return" @keyword.return
"use" @keyword.import
(continue_statement) @keyword.repeat
(break_statement) @keyword.repeat
[ "and" "or" "xor" "not" "isnt" "addressof" "digestof" ] @keyword.operator

[ "=" "=>" "->" "+" "-" "*" "/" "%" "<<" ">>" "==" "!=" "<" "<=" ">" ">=" "|" "&" "^" "!" "?" "<:" ] @operator
[ "(" ")" "[" "]" "{" "}" ] @punctuation.bracket
[ "," "." ".>" ":" ";" "..." "~" ] @punctuation.delimiter
