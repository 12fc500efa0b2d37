/**
 * @file Ring, as its compiler (version 1.26) reads it.
 *
 * Three things make Ring unusual. Statements stand side by side with nothing between them: one ends where
 * a token comes that cannot go on with it. The end of a line matters after some tokens and not after
 * others; `src/scanner.c` knows which. And each block can be written in three styles, whose ends may be
 * mixed: so the ends are choices, and no style has rules of its own.
 *
 * @license MIT
 */

/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

// Words that are never names: by them the parser finds its way back in broken code.
const KEYWORDS = [
  'and', 'break', 'bye', 'call', 'class', 'continue', 'def', 'do', 'elseif', 'end', 'endclass', 'endfor',
  'endfunc', 'endfunction', 'endif', 'endpackage', 'endswitch', 'endtry', 'endwhile', 'exit', 'for',
  'foreach', 'func', 'function', 'get', 'give', 'if', 'import', 'load', 'loop', 'new', 'next', 'not', 'or',
  'package', 'private', 'put', 'return', 'see', 'switch', 'try', 'while',
];

// To the compiler these are names where no statement is open that they could belong to. Here they are
// names of members, methods, classes and parameters only: a lone `ok` is the rest of a broken `if` far
// more often than a variable.
const CLOSING_WORDS = ['again', 'but', 'case', 'catch', 'done', 'else', 'off', 'ok', 'on', 'other'];

// Not reserved, since they are keywords in their own places only: `from`, `in`, `step`, `to`.

// What parts names. The rest makes them, as the compiler has it: `@total`, `$all` and `1st` are names too.
const APART = ' \\t\\r\\n\\uFEFF;"\'`#+\\-*/%.()=,!><\\[\\]:{}&|~^?';
const PART = allBut(APART);

export default grammar({
  name: 'ring',

  word: $ => $.identifier,

  externals: $ => [
    $._line_end, // ends an expression, and takes no room
    $._no_definition, // before a `func` that has no name; takes no room either
    // Never found: the scanner knows by what is allowed
    $._line_may_go_on, // after a closing bracket or a member
    $._condition_may_go_on, // after a literal
    $._lost, // in broken code, where all is
  ],

  extras: $ => [/[ \t\r\n\uFEFF]/, $.comment],

  inline: $ => [$._value],

  supertypes: $ => [$._statement, $._expression],

  reserved: {
    keywords: _ => [...KEYWORDS, ...CLOSING_WORDS].map(pattern),
    names: _ => KEYWORDS.map(pattern),
  },

  // One token ahead decides everything: there are no conflicts to be tried out, only these precedences.
  precedences: $ => [
    // Operators, as the compiler has them, between what holds tighter and what looser.
    [
      'postfix', 'unary', 'range', 'product', 'sum', 'shift', 'bit_and', 'bit_or', 'comparison', 'equality',
      'not', 'and', 'or', 'binding', 'statement',
    ],
    // `x (1)` is a call and `x [1]` an item; `"x" (1)` are two statements.
    ['postfix', $._expression, 'statement'],
    // `x = 1` assigns where a statement begins, and `:k = 1` is a pair; elsewhere `=` compares.
    ['binding', $._expression],
    // After a condition, `{` opens the block; elsewhere it opens the object before it.
    [$._expression, 'braces'],
    ['postfix', 'braces'],
    // `call f(x)(y)` calls what the called function gives.
    [$.indirect_call, $._operand],
    // `func f x` and `func f () {` have parameters, and no statement that begins so.
    ['parameters', 'postfix'],
    [$._name, $._operand],
  ],

  rules: {
    source_file: $ => repeat(choice(
      $._statement,
      $.function_definition,
      $.class_definition,
      $.package_definition,
    )),

    // ---- Packages, classes, functions. Without braces they run to the next of their kind, end or no end.

    package_definition: $ => prec.right('statement', seq(
      word('package'),
      field('name', $.qualified_name),
      definitionBody(optional(field('body', $.package_body)), 'endpackage'),
    )),

    package_body: $ => prec.right('statement', repeat1(choice(
      $._statement,
      $.function_definition,
      $.class_definition,
    ))),

    class_definition: $ => prec.right('statement', seq(
      word('class'),
      field('name', $._name),
      choice(
        optional($._line_end), // an attribute may be named `from`
        seq(choice(word('from'), ':', '<'), field('superclass', $.qualified_name)),
      ),
      definitionBody(optional(field('body', $.class_body)), 'endclass'),
    )),

    // Attributes are the statements `x` and `x = 1`.
    class_body: $ => prec.right('statement', repeat1(choice(
      $._statement,
      $.private_section,
      alias($.function_definition, $.method_definition),
    ))),

    // All that follows in the class is private.
    private_section: _ => word('private'),

    function_definition: $ => prec.right('statement', seq(
      choice(word('func'), word('function'), word('def')),
      field('name', $._name),
      choice(
        optional($._line_end), // names on the next line are statements
        field('parameters', $.parameters),
      ),
      definitionBody(optional(field('body', $.block)), 'endfunc', 'endfunction'),
    )),

    parameters: $ => choice(
      prec('parameters', seq(
        '(',
        optional(commaSeparated(choice($.parameter, alias($._typed_parameter, $.parameter)))),
        ')',
        optional($._line_end),
      )),
      prec.right('binding', seq(commaSeparated($.parameter), optional($._line_end))),
    ),

    parameter: $ => prec('binding', field('name', $._name)),

    // Only in parentheses: elsewhere the second name begins a statement.
    _typed_parameter: $ => seq(field('type', $.identifier), field('name', $._name)),

    // ---- Statements.

    block: $ => prec.right('statement', repeat1($._statement)),

    _statement: $ => choice(
      $.load_statement,
      $.import_statement,
      $.see_statement,
      $.give_statement,
      $.if_statement,
      $.switch_statement,
      $.for_statement,
      $.for_in_statement,
      $.while_statement,
      $.do_statement,
      $.try_statement,
      $.return_statement,
      $.exit_statement,
      $.loop_statement,
      $.bye_statement,
      $.assignment,
      $.expression_statement,
      $.scanner_command,
      ';',
      ',', // the compiler passes over it
    ),

    load_statement: $ => seq(
      word('load'),
      optional(choice(word('package'), word('again'))),
      field('path', $.string),
    ),

    import_statement: $ => seq(word('import'), field('name', $.qualified_name)),

    see_statement: $ => prec.right('statement', seq(
      choice(word('see'), word('put'), '?'), // `?` ends the line that it writes
      field('value', $._line),
    )),

    give_statement: $ => prec.right('statement', seq(
      choice(word('give'), word('get')),
      field('target', $._operand),
      optional($._line_end),
    )),

    if_statement: $ => seq(
      word('if'),
      field('condition', $._line),
      blockBody(['ok', 'endif'],
        optional(field('consequence', $.block)),
        repeat($.elseif_clause),
        optional($.else_clause),
      ),
    ),

    elseif_clause: $ => prec.right('statement', seq(
      choice(word('but'), word('elseif')),
      field('condition', $._line),
      optional(field('consequence', $.block)),
    )),

    else_clause: $ => prec.right('statement', seq(
      choice(word('else'), word('other')),
      optional(field('body', $.block)),
    )),

    switch_statement: $ => seq(
      word('switch'),
      field('value', $._line),
      blockBody(['off', 'endswitch'],
        repeat(choice(';', $.case_clause)),
        optional($.else_clause),
      ),
    ),

    case_clause: $ => prec.right('statement', seq(
      choice(word('on'), word('case')),
      field('value', $._line),
      optional(field('body', $.block)),
    )),

    for_statement: $ => seq(
      choice(word('for'), word('foreach')),
      field('variable', $.identifier),
      '=',
      field('first', $._value),
      word('to'),
      field('last', $._line),
      optional(seq(word('step'), field('step', $._line))),
      blockBody(['next', 'endfor'], optional(field('body', $.block))),
    ),

    for_in_statement: $ => seq(
      choice(word('for'), word('foreach')),
      field('variable', $.identifier),
      word('in'),
      field('list', $._line),
      optional(seq(word('step'), field('step', $._line))),
      blockBody(['next', 'endfor'], optional(field('body', $.block))),
    ),

    while_statement: $ => seq(
      word('while'),
      field('condition', $._line),
      blockBody(['endwhile'], optional(field('body', $.block))),
    ),

    do_statement: $ => prec.right('statement', seq(
      word('do'),
      optional(field('body', $.block)),
      word('again'),
      field('condition', $._line),
    )),

    try_statement: $ => seq(
      word('try'),
      blockBody(['done', 'endtry'], optional(field('body', $.block)), $.catch_clause),
    ),

    catch_clause: $ => prec.right('statement', seq(
      word('catch'),
      optional(field('body', $.block)),
    )),

    return_statement: $ => prec.right('statement', seq(
      word('return'),
      choice(optional($._line_end), seq(optional('&'), field('value', $._line))),
    )),

    // The value says how many loops to leave, or to go on with.
    exit_statement: $ => prec.right('statement', seq(
      choice(word('exit'), word('break')),
      choice(optional($._line_end), field('loops', $._line)),
    )),

    loop_statement: $ => prec.right('statement', seq(
      choice(word('loop'), word('continue')),
      choice(optional($._line_end), field('loops', $._line)),
    )),

    bye_statement: _ => word('bye'),

    assignment: $ => prec.right('binding', seq(
      field('left', $._operand),
      choice('=', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '<<=', '>>=', '**=', '^^='),
      field('right', $._line),
    )),

    expression_statement: $ => prec.right('statement', seq($._expression, optional($._line_end))),

    // These change the language from here on, and the parser does not follow: words that some program made
    // into keywords are names to it, and mostly fall into statements of their own.
    scanner_command: $ => choice(
      seq(
        choice(word('ChangeRingKeyword'), word('ChangeRingOperator')),
        field('old', $.word),
        field('new', $.word),
      ),
      seq(word('LoadSyntax'), field('path', $.string)),
      word('EnableHashComments'),
      word('DisableHashComments'),
    ),

    word: _ => token(prec(1, /\S+/)), // even `#` or `"` may become an operator

    // ---- Expressions, loosest first.

    // A function without a name can begin no statement.
    _value: $ => choice($._expression, $.anonymous_function),

    _line: $ => prec.right('statement', seq($._value, optional($._line_end))),

    _expression: $ => choice(
      $.binary_expression,
      $.not_expression,
      $.unary_expression,
      $.update_expression,
      $.pair,
      $._operand,
      $.parenthesized_expression,
      $.list,
      $.number,
      $.string,
      $.symbol,
    ),

    binary_expression: $ => choice(
      binary($, 'or', choice(word('or'), '||')),
      binary($, 'and', choice(word('and'), '&&')),
      binary($, 'equality', choice('=', '!=')),
      binary($, 'comparison', choice('<', '<=', '>', '>=')),
      binary($, 'bit_or', choice('|', '^')),
      binary($, 'bit_and', '&'),
      binary($, 'shift', choice('<<', '>>')),
      binary($, 'sum', choice('+', '-')),
      binary($, 'product', choice('*', '/', '%', '**', '^^')),
      binary($, 'range', ':'),
    ),

    not_expression: $ => prec.right('not', seq(
      choice(word('not'), '!'),
      field('operand', $._expression),
    )),

    unary_expression: $ => prec.right('unary', seq(
      choice('-', '+', '~'),
      field('operand', $._expression),
    )),

    update_expression: $ => prec.left('unary', seq(
      field('operand', choice($._operand, $.number)),
      choice('++', '--'),
    )),

    // The list [key, value].
    pair: $ => prec.right('binding', seq(
      field('key', $.symbol),
      '=',
      field('value', $._value),
    )),

    anonymous_function: $ => seq(
      $._no_definition, // else, after `x =`, the next function of the file would be the value
      choice(word('func'), word('function'), word('def')),
      optional(field('parameters', $.parameters)),
      '{',
      optional(field('body', $.block)),
      '}',
    ),

    // What may be assigned to, called, asked for items and members, and opened by braces.
    _operand: $ => choice(
      $.identifier,
      $.member_expression,
      $.item_expression,
      $.call_expression,
      $.braces_expression,
      $.new_expression,
      $.indirect_call,
    ),

    member_expression: $ => prec.right('postfix', seq(
      field('object', choice($._operand, $.parenthesized_expression)),
      '.',
      field('member', choice($._name, $.string)),
      optional($._line_may_go_on),
    )),

    item_expression: $ => prec.right('postfix', seq(
      field('object', $._operand),
      '[',
      field('index', $._line),
      ']',
      optional($._line_may_go_on),
    )),

    call_expression: $ => prec.right('postfix', seq(
      field('function', $._operand),
      field('arguments', $.arguments),
      optional($._line_may_go_on),
    )),

    // Statements that see the object's attributes and methods as their own.
    braces_expression: $ => prec('braces', seq(
      field('object', choice($._operand, $.parenthesized_expression)),
      '{',
      optional(field('body', $.block)),
      '}',
    )),

    new_expression: $ => prec.right('postfix', seq(
      word('new'),
      optional(word('from')),
      field('class', $.qualified_name),
      optional($._line_may_go_on),
      optional(seq(field('arguments', $.arguments), optional($._line_may_go_on))),
    )),

    // Calls the function whose name a variable holds; with braces, as a method of the object around.
    indirect_call: $ => prec.right('postfix', seq(
      word('call'),
      choice(
        field('call', $.call_expression),
        seq('{', field('call', $.call_expression), '}'),
      ),
    )),

    arguments: $ => seq('(', optional(commaSeparated($._line)), ')'),

    parenthesized_expression: $ => prec.right('postfix', seq(
      '(',
      optional($._line),
      ')',
      optional($._line_may_go_on),
    )),

    list: $ => seq('[', optional(seq(commaSeparated($._line), optional(','))), ']'),

    // ---- Names and literals.

    qualified_name: $ => prec.right('postfix', seq($._name, repeat(seq('.', $._name)))),

    _name: $ => reserved('names', $.identifier),

    // A string in lower case; any word will do. The compiler lets blanks stand after the colon, which
    // nobody writes: a colon with nothing after it is one that is just being typed.
    symbol: $ => seq(':', alias(token.immediate(prec(-1, new RegExp(`${PART}+`))), $.name)),

    // No escapes; any of the three may span lines.
    string: $ => seq(
      token(choice(...['"', "'", '`'].map(quote => new RegExp(`${quote}${allBut(quote)}*${quote}`)))),
      optional($._condition_may_go_on),
    ),

    number: $ => seq(
      token(choice(/0+[xX][0-9a-fA-F_]+/, /[0-9][0-9_]*([fF]|\.[0-9][0-9_]*[fF]?)?/)),
      optional($._condition_may_go_on),
    ),

    identifier: _ => new RegExp(
      `(${allBut(`0-9${APART}`)}|[0-9][0-9_]*${allBut(`0-9_fFxX${APART}`)})${PART}*`,
    ),

    // A block comment that nobody ends runs to the end of the file, as it does for the compiler.
    comment: _ => token(choice(
      new RegExp(`#${allBut('\\n')}*`),
      new RegExp(`//${allBut('\\n')}*`),
      new RegExp(`/\\*(${allBut('*')}|\\*+${allBut('*/')})*(\\*+/|\\**)`),
    )),
  },
});

/** A keyword in any case, which the tree shows in lower case. */
function word(text) {
  return alias(pattern(text), text.toLowerCase());
}

function pattern(text) {
  return new RegExp(text.toLowerCase(), 'i');
}

/**
 * One character that is none of these. The generator takes the long s and the sign for Kelvin, which fold to "s"
 * and "k", out of every set that holds these; so they are named, in groups, lest they become part of the set.
 */
function allBut(characters) {
  return `([^${characters}]|(\\u017f)|(\\u212a))`;
}

function commaSeparated(rule) {
  return seq(rule, repeat(seq(',', rule)));
}

function binary($, name, operator) {
  return prec.left(name, seq(
    field('left', $._expression),
    field('operator', operator),
    field('right', $._expression),
  ));
}

/** The inside of a definition: braces must match, other ends may be left out. */
function definitionBody(body, ...ends) {
  return choice(
    seq('{', body, '}'),
    seq(body, optional(choice(word('end'), ...ends.map(word)))),
  );
}

/** The inside of a statement: it must end somehow, and an opening brace need not be closed by one. */
function blockBody(ends, ...parts) {
  const end = choice(word('end'), ...ends.map(word));
  return choice(
    seq('{', ...parts, choice('}', end)),
    seq(...parts, end),
  );
}
