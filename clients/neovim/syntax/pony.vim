" Pony, where no tree-sitter parser is there.
if exists('b:current_syntax')
  finish
endif

syntax keyword ponyStructure actor class interface primitive struct trait type object
syntax keyword ponyKeyword be fun new as consume do embed end is isnt let recover var where with addressof digestof
syntax keyword ponyInclude use
syntax keyword ponyConditional if ifdef iftype then elseif else match
syntax keyword ponyRepeat for in while repeat until break continue
syntax keyword ponyException try error compile_error compile_intrinsic
syntax keyword ponyStatement return
syntax keyword ponyOperator and or xor not
syntax keyword ponyModifier iso trn ref val box tag
syntax match ponyModifier /#\%(read\|send\|share\|alias\|any\)\>/
syntax keyword ponyBoolean true false
syntax keyword ponyThis this

syntax match ponyType /\<_\?\u\w*'*/
syntax match ponyFunction /\%(\<\%(fun\|be\|new\)\s\+\%(\%(iso\|trn\|ref\|val\|box\|tag\)\s\+\)\?\)\@<=\h\w*/
syntax match ponyNumber /\<\d[0-9_]*\%(\.\d[0-9_]*\)\?\%([eE][-+]\?\d\+\)\?\>/
syntax match ponyNumber /\<0[xX]\x[0-9a-fA-F_]*\>/
syntax match ponyNumber /\<0[bB][01_]\+\>/

syntax match ponyEscape /\\\%([abefnrtv\\0'"]\|x\x\{2}\|u\x\{4}\|U\x\{6}\)/ contained
syntax match ponyCharacter /'\%(\\.[^']*\|[^'\\]\)'/ contains=ponyEscape
syntax region ponyString start=/"/ skip=/\\./ end=/"/ contains=ponyEscape,@Spell
syntax region ponyString start=/"""/ end=/"""/ contains=@Spell

syntax keyword ponyTodo TODO FIXME XXX NOTE contained
syntax match ponyComment "//.*$" contains=ponyTodo,@Spell
syntax region ponyComment start="/\*" end="\*/" contains=ponyTodo,ponyComment,@Spell

highlight default link ponyStructure Structure
highlight default link ponyKeyword Keyword
highlight default link ponyInclude Include
highlight default link ponyConditional Conditional
highlight default link ponyRepeat Repeat
highlight default link ponyException Exception
highlight default link ponyStatement Statement
highlight default link ponyOperator Operator
highlight default link ponyModifier StorageClass
highlight default link ponyBoolean Boolean
highlight default link ponyThis Special
highlight default link ponyType Type
highlight default link ponyFunction Function
highlight default link ponyNumber Number
highlight default link ponyEscape SpecialChar
highlight default link ponyCharacter Character
highlight default link ponyString String
highlight default link ponyTodo Todo
highlight default link ponyComment Comment

let b:current_syntax = 'pony'
