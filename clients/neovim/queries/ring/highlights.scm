; grammars/tree-sitter-ring/queries/highlights.scm says the same in the words of the tree-sitter command.
; A later pattern wins over an earlier one.
(identifier) @variable

((identifier) @variable.builtin
  (#match? @variable.builtin "\\c^(this|self|super)$"))

((identifier) @constant.builtin
  (#match? @constant.builtin "\\c^(true|false|null|nl|tab|cr)$"))

(member_expression
  member: (identifier) @property)

(symbol) @string.special.symbol

(class_body
  (expression_statement
    (identifier) @property))

(class_body
  (assignment
    left: (identifier) @property))

(call_expression
  function: (identifier) @function)

(call_expression
  function: (member_expression
    member: (identifier) @function.method))

(function_definition
  name: (_) @function)

(method_definition
  name: (_) @function.method)

(parameter
  name: (_) @variable.parameter)

(parameter
  type: (_) @type)

(class_definition
  name: (_) @type)

(class_definition
  superclass: (qualified_name (identifier) @type))

(new_expression
  class: (qualified_name (identifier) @type))

(package_definition
  name: (qualified_name (identifier) @module))

(import_statement
  name: (qualified_name (identifier) @module))

(string) @string
(number) @number
(comment) @comment @spell

[
  "break" "bye" "call" "catch" "changeringkeyword" "changeringoperator" "class" "continue" "def"
  "disablehashcomments" "do" "done" "enablehashcomments" "end" "endclass" "endfunc" "endfunction"
  "endpackage" "endtry" "exit" "from" "func" "function" "get" "give" "import" "load" "loadsyntax" "loop"
  "new" "package" "private" "put" "return" "see" "try"
] @keyword

[
  "but" "case" "else" "elseif" "endif" "endswitch" "if" "off" "ok" "on" "other" "switch"
] @keyword.conditional

[
  "again" "endfor" "endwhile" "for" "foreach" "in" "next" "step" "to" "while"
] @keyword.repeat

(private_section) @keyword
(bye_statement) @keyword

[
  "and" "not" "or"
] @keyword.operator

[
  "!" "!=" "%" "%=" "&" "&&" "&=" "*" "**" "**=" "*=" "+" "++" "+=" "-" "--" "-=" "/" "/=" "<" "<<" "<<="
  "<=" "=" ">" ">=" ">>" ">>=" "?" "^" "^=" "^^" "^^=" "|" "|=" "||" "~"
] @operator

[
  "(" ")" "[" "]" "{" "}"
] @punctuation.bracket

[
  "," "." ":" ";"
] @punctuation.delimiter

(symbol
  ":" @string.special.symbol)
