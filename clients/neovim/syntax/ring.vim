" Ring, where no tree-sitter parser is there. The language does not tell upper from lower case.
if exists('b:current_syntax')
  finish
endif

syntax case ignore

syntax keyword ringKeyword call get give new put see from bye do done off on other private
syntax keyword ringKeyword changeringkeyword changeringoperator disablehashcomments enablehashcomments loadsyntax
syntax keyword ringInclude load import package endpackage
syntax keyword ringStructure class endclass
syntax keyword ringDefinition func function def endfunc endfunction
syntax keyword ringConditional if but elseif else ok endif switch case default endswitch end
syntax keyword ringRepeat for foreach in to step next endfor while endwhile again loop exit
syntax keyword ringException try catch endtry
syntax keyword ringStatement return break continue
syntax keyword ringOperator and or not
syntax keyword ringConstant true false null nl tab cr
syntax keyword ringThis this self super

syntax match ringFunction /\%(\<\%(func\|function\|def\)\s\+\)\@<=\h\w*/
syntax match ringType /\%(\<\%(class\|from\|new\)\s\+\)\@<=\h[0-9a-zA-Z_.]*/
syntax match ringNumber /\<\d[0-9_]*\%(\.\d\+\)\?\>/
syntax match ringNumber /\<0x\x\+\>/
syntax match ringSymbol /:\h\w*/

syntax region ringString start=/"/ end=/"/ contains=@Spell
syntax region ringString start=/'/ end=/'/ contains=@Spell
syntax region ringString start=/`/ end=/`/ contains=@Spell

syntax keyword ringTodo TODO FIXME XXX NOTE contained
syntax match ringComment "//.*$" contains=ringTodo,@Spell
syntax match ringComment "#.*$" contains=ringTodo,@Spell
syntax region ringComment start="/\*" end="\*/" contains=ringTodo,@Spell

highlight default link ringKeyword Keyword
highlight default link ringInclude Include
highlight default link ringStructure Structure
highlight default link ringDefinition Keyword
highlight default link ringConditional Conditional
highlight default link ringRepeat Repeat
highlight default link ringException Exception
highlight default link ringStatement Statement
highlight default link ringOperator Operator
highlight default link ringConstant Constant
highlight default link ringThis Special
highlight default link ringFunction Function
highlight default link ringType Type
highlight default link ringNumber Number
highlight default link ringSymbol Special
highlight default link ringString String
highlight default link ringTodo Todo
highlight default link ringComment Comment

let b:current_syntax = 'ring'
