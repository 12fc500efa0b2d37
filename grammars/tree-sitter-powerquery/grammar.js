/**
 * Power Query M: the formula language of Excel, Power BI and Fabric.
 *
 * The rules stand in the order of the language specification's consolidated grammar and bear its names.
 * Where Microsoft's own parser (powerquery-parser 2.0.0) departs from it, the rule says whom it follows.
 *
 * Unfinished code is the ordinary case in an editor. The parser makes up a missing token only where that
 * completes a rule; so a comma ends a rule with what stands before it, and so does the `=` behind a name.
 * What may be missing altogether is `_absent`. Texts are single tokens, for the parts of one would be found
 * all over code that is broken.
 */

/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

/** From loose to tight; all of them are left-associative, as Microsoft's parser combines them. */
const PREC = {
  coalesce: 1, // the specification tells what `??` does, but gives it no production
  or: 2,
  and: 3,
  is: 4,
  as: 5,
  equality: 6,
  relational: 7,
  additive: 8,
  multiplicative: 9,
  metadata: 10,
  unary: 11,
};

const BINARY_OPERATORS = [
  [PREC.coalesce, '??'],
  [PREC.or, 'or'],
  [PREC.and, 'and'],
  [PREC.equality, choice('=', '<>')],
  [PREC.relational, choice('<', '<=', '>', '>=')],
  [PREC.additive, choice('+', '-', '&')],
  [PREC.multiplicative, choice('*', '/')],
  [PREC.metadata, 'meta'],
];

const KEYWORDS = [
  'and', 'as', 'each', 'else', 'error', 'false', 'if', 'in', 'is', 'let', 'meta', 'not', 'null', 'or',
  'otherwise', 'section', 'shared', 'then', 'true', 'try', 'type',
];

/** Keywords that name a value: constructors of what has no literal, and two records of the environment. */
const PREDEFINED = [
  '#binary', '#date', '#datetime', '#datetimezone', '#duration', '#sections', '#shared', '#table', '#time',
];

/** Names of types, and ordinary identifiers elsewhere; `null` and `type` are keywords besides. */
const PRIMITIVE_TYPES = [
  'action', // not in the specification; Microsoft's parser knows it
  'any', 'anynonnull', 'binary', 'date', 'datetime', 'datetimezone', 'duration', 'function', 'list',
  'logical', 'none', 'null', 'number', 'record', 'table', 'text', 'time', 'type',
];

const LETTERS = '\\p{Lu}\\p{Ll}\\p{Lt}\\p{Lm}\\p{Lo}\\p{Nl}_';
const LETTER = either(LETTERS);
const PART = either(LETTERS + '\\p{Nd}\\p{Pc}\\p{Mn}\\p{Mc}\\p{Cf}');
const NEWLINE = '\\r\\n\\u0085\\u2028\\u2029';

const NO_STAR = either('^*');

/** Over several lines if need be; `#(` that opens no known escape is taken as it stands. */
const TEXT = new RegExp(`(${either('^"')}|"")*`, 'u');

export default grammar({
  name: 'powerquery',

  word: $ => $.identifier,

  reserved: {
    // Without these a misplaced `in` would be taken for a name, and half a document for its value.
    global: _ => KEYWORDS,
    // In `[type]` and `[each = 1]` nothing but a name can be meant.
    field_name: _ => [],
  },

  extras: $ => [
    new RegExp(`[\\p{Zs}\\t\\v\\f${NEWLINE}]`, 'u'),
    $.comment,
  ],

  supertypes: $ => [
    $.expression,
    $.operand,
    $.primary_expression,
    $.literal,
    $.type,
  ],

  conflicts: $ => [
    // `(x)` is a parameter list or a parenthesized expression until `=>` does or does not follow.
    [$.parameter, $.primary_expression],
  ],

  rules: {
    // Documents. (An empty one is no document to the specification, but it is where each begins.)

    document: $ => optional(choice($.section_document, $.expression)),

    // Lexical grammar: comments

    comment: _ => token(choice(
      seq('//', new RegExp(`${either(`^${NEWLINE}`)}*`, 'u')),
      seq('/*', new RegExp(`${NO_STAR}*\\*+(${either('^/*')}${NO_STAR}*\\*+)*`, 'u'), '/'),
    )),

    // Lexical grammar: literals

    literal: $ => choice(
      $.logical_literal,
      $.number_literal,
      $.text_literal,
      $.null_literal,
      $.verbatim_literal,
    ),

    logical_literal: _ => choice('true', 'false'),

    number_literal: _ => choice(
      /0[xX][0-9a-fA-F]+/,
      /([0-9]*\.)?[0-9]+([eE][+-]?[0-9]+)?/,
      '#infinity', // keywords to the specification, numbers to Microsoft's parser
      '#nan',
    ),

    text_literal: _ => token(seq('"', TEXT, '"')),

    null_literal: _ => 'null',

    verbatim_literal: _ => token(seq('#!"', TEXT, '"')),

    // Lexical grammar: identifiers

    _identifier: $ => choice($.identifier, $.quoted_identifier),

    // Dots belong to the name: `Table.AddColumn` is one identifier.
    identifier: _ => new RegExp(`${LETTER}${PART}*(\\.${PART}+)*`, 'u'),

    quoted_identifier: _ => token(seq('#"', TEXT, '"')),

    // Blanks and leading digits are allowed here. A blank after a dot is Microsoft's parser's addition, as in
    // `[No. of rows]`.
    generalized_identifier: _ => new RegExp(`${PART}+((\\. *| +)${PART}+)*`, 'u'),

    // An identifier will do; were it none here, the name behind a missing comma would not be understood.
    _field_name: $ => choice(
      alias(reserved('field_name', $.identifier), $.generalized_identifier),
      $.generalized_identifier,
      $.quoted_identifier,
    ),

    predefined_identifier: _ => choice(...PREDEFINED),

    // Section documents
    //
    // Attributes are literals only, but any record passes for them here: were there two kinds of records, `[`
    // at the beginning of a document would open either, and a mistake would leave the wrong one.
    // (Microsoft's parser does without the section's name.)

    section_document: $ => seq(
      field('attributes', optional($.record_expression)),
      'section',
      field('name', optional($._identifier)),
      ';',
      repeat($.section_member),
    ),

    section_member: $ => seq(
      field('attributes', optional($.record_expression)),
      optional('shared'),
      $._named_variable,
      field('value', $.expression),
      ';',
    ),

    // Expressions

    expression: $ => choice(
      $.operand,
      $.function_expression,
      $.each_expression,
      $.let_expression,
      $.if_expression,
      $.error_raising_expression,
      $.error_handling_expression,
    ),

    // What may stand beside an operator. The other expressions reach as far as they can, so they may not.
    operand: $ => choice(
      $.binary_expression,
      $.is_expression,
      $.as_expression,
      $.unary_expression,
      $.type_expression,
      $.primary_expression,
      $.literal, // no primary expression, against the specification: `1(x)` calls nothing
    ),

    binary_expression: $ => choice(...BINARY_OPERATORS.map(([precedence, operator]) =>
      prec.left(precedence, seq(
        field('left', $.operand),
        field('operator', operator),
        field('right', $.operand),
      )))),

    is_expression: $ => prec.left(PREC.is, seq(
      field('left', $.operand),
      'is',
      field('right', $._nullable_primitive_type),
    )),

    as_expression: $ => prec.left(PREC.as, seq(
      field('left', $.operand),
      'as',
      field('right', $._nullable_primitive_type),
    )),

    unary_expression: $ => prec(PREC.unary, seq(
      field('operator', choice('+', '-', 'not')),
      field('operand', $.operand),
    )),

    primary_expression: $ => choice(
      $.list_expression,
      $.record_expression,
      $._identifier,
      $.inclusive_identifier_reference,
      $.predefined_identifier,
      $.section_access_expression,
      $.parenthesized_expression,
      $.field_access_expression,
      $.projection,
      $.item_access_expression,
      $.invoke_expression,
      $.not_implemented_expression,
    ),

    // `@` refers to the name within its own definition.
    inclusive_identifier_reference: $ => seq('@', $._identifier),

    // (Not in Microsoft's parser, nor `!` in the specification's list of operators.)
    section_access_expression: $ => seq(field('section', $._identifier), '!', field('name', $._identifier)),

    parenthesized_expression: $ => seq('(', $.expression, ')'),

    not_implemented_expression: _ => '...',

    invoke_expression: $ => invocation($, $.primary_expression),

    argument_list: $ => seq('(', commaSeparated($, $.expression), ')'),

    list_expression: $ => seq('{', commaSeparated($, choice($.expression, $.range)), '}'),

    range: $ => seq(field('first', $.expression), '..', field('last', $.expression)),

    record_expression: $ => seq('[', commaSeparated($, $.field), ']'),

    field: $ => seq($._named_field, field('value', $.expression)),

    _named_field: $ => seq(field('name', $._field_name), '='),

    item_access_expression: $ => itemAccess($, $.primary_expression),

    // Without a record, it is a field of `_`, as in `each [Price]`.
    field_access_expression: $ => fieldAccess($, optional(field('record', $.primary_expression))),

    projection: $ => projected($, optional(field('record', $.primary_expression))),

    field_selector: $ => seq('[', field('name', $._field_name), ']'),

    function_expression: $ => seq(
      field('parameters', $.parameter_list),
      optional($._return_type),
      '=>',
      field('body', $.expression),
    ),

    parameter_list: $ => seq('(', parameters($.parameter, $.optional_parameter), ')'),

    parameter: $ => seq(
      field('name', $._identifier),
      optional(seq('as', field('type', $._nullable_primitive_type))),
    ),

    optional_parameter: $ => seq('optional', $.parameter),

    _return_type: $ => seq('as', field('return_type', $._nullable_primitive_type)),

    each_expression: $ => seq('each', field('body', $.expression)),

    // (Microsoft's parser takes an empty list, which one has while one writes.)
    let_expression: $ => seq(
      'let',
      commaSeparated($, $.variable),
      choice(seq('in', field('body', $.expression)), $._absent),
    ),

    variable: $ => seq($._named_variable, field('value', $.expression)),

    _named_variable: $ => seq(field('name', $._identifier), '='),

    if_expression: $ => seq(
      'if',
      field('condition', $.expression),
      'then',
      field('consequence', $.expression),
      choice(seq('else', field('alternative', $.expression)), $._absent),
    ),

    // Types

    type_expression: $ => seq('type', $._primary_type),

    type: $ => choice($._primary_type, $._type_value),

    _primary_type: $ => choice(
      $.primitive_type,
      $.record_type,
      $.list_type,
      $.function_type,
      $.table_type,
      $.nullable_type,
    ),

    // An expression whose value is a type. A `[` or `{` would begin a type, so neither begins this.
    _type_value: $ => choice(
      $._type_value_primary,
      $.logical_literal,
      $.number_literal,
      $.text_literal,
    ),

    _type_value_primary: $ => choice(
      $._identifier,
      $.inclusive_identifier_reference,
      $.predefined_identifier,
      $.section_access_expression,
      $.parenthesized_expression,
      alias($._type_value_invoke, $.invoke_expression),
      alias($._type_value_item, $.item_access_expression),
      alias($._type_value_field, $.field_access_expression),
    ),

    _type_value_invoke: $ => invocation($, $._type_value_primary),
    _type_value_item: $ => itemAccess($, $._type_value_primary),
    _type_value_field: $ => fieldAccess($, field('record', $._type_value_primary)),

    _nullable_primitive_type: $ => choice(
      $.primitive_type,
      alias($._nullable_primitive, $.nullable_type),
    ),

    _nullable_primitive: $ => seq('nullable', $.primitive_type),

    primitive_type: _ => choice(...PRIMITIVE_TYPES),

    record_type: $ => seq(
      '[',
      optional(seq(
        repeat(seq($.field_specification, ',')),
        choice($.field_specification, $.open_record_marker),
      )),
      ']',
    ),

    field_specification: $ => seq(
      // One token with its blank: without, `optional a` would be longer, and a name.
      optional(alias(token(prec(1, /optional[ \t\r\n]/)), 'optional')),
      field('name', $._field_name),
      optional(seq('=', field('type', $.type))),
    ),

    open_record_marker: _ => '...',

    list_type: $ => seq('{', $.type, '}'),

    function_type: $ => seq(
      'function',
      '(',
      parameters($.parameter_specification, $.optional_parameter_specification),
      ')',
      'as',
      field('return_type', $.type),
    ),

    parameter_specification: $ => seq(field('name', $._identifier), 'as', field('type', $.type)),

    optional_parameter_specification: $ => seq('optional', $.parameter_specification),

    table_type: $ => seq('table', choice($.row_type, $._type_value_primary)),

    row_type: $ => seq('[', commaSeparated($, $.field_specification), ']'),

    nullable_type: $ => seq('nullable', $.type),

    // Errors

    error_raising_expression: $ => seq('error', $.expression),

    // A handler belongs to the nearest `try`.
    error_handling_expression: $ => prec.right(seq(
      'try',
      field('protected', $.expression),
      optional(choice($.otherwise_clause, $.catch_clause)),
    )),

    otherwise_clause: $ => seq('otherwise', $.expression),

    catch_clause: $ => seq('catch', $.catch_function),

    // No types and at most one parameter, which holds the error.
    catch_function: $ => seq(
      '(', field('parameter', optional($._identifier)), ')', '=>', field('body', $.expression),
    ),

    // No text holds this character. Where it is allowed the parser may find it missing, and so understand
    // that the end of a construct is.
    _absent: _ => /\uffff/,

    // The same in a list; a node, for making up a token must complete one.
    missing: $ => $._absent,
  },
});

/**
 * One character of a set that holds "s" and "k". The generator takes the long s and the sign for Kelvin, which
 * fold to them, out of every such set; so they are named, in groups, lest they become part of the set.
 */
function either(set) {
  return `([${set}]|(\\u017f)|(\\u212a))`;
}

/** Any number of them, none included; a comma at the end is an error in this language. */
function commaSeparated($, rule) {
  return optional(choice(
    seq(repeat(seq(rule, ',')), rule),
    seq(repeat1(seq(rule, ',')), $.missing),
  ));
}

/** Those that must be given come before those that need not. */
function parameters(required, notRequired) {
  return optional(seq(
    repeat(seq(required, ',')),
    choice(required, seq(repeat(seq(notRequired, ',')), notRequired)),
  ));
}

function invocation($, target) {
  return seq(field('function', target), field('arguments', $.argument_list));
}

function itemAccess($, target) {
  return seq(field('list', target), '{', field('index', $.expression), '}', optional('?'));
}

/** `target` comes with its field name, because it may be missing. */
function fieldAccess($, target) {
  return seq(target, '[', field('name', $._field_name), ']', optional('?'));
}

function projected($, target) {
  return seq(target, '[', repeat(seq($.field_selector, ',')), $.field_selector, ']', optional('?'));
}
