// Two things that take a look ahead: where the end of a line ends an expression, and which `func` has no name.
//
// Ring's compiler passes over the end of a line after an operator, a comma, an opening bracket and most
// keywords: there the grammar allows no `_line_end`. It does so too after a closing bracket of a call, an
// item or a group, and after a member: if the next line begins with an operator or a bracket, it goes on
// with the expression. In conditions it does so after literals too; conditions are not told apart here, so
// after any literal the next line may begin with `and` or `or`, which is what programs do. After all else
// an expression ends with its line, unless `{` comes next.

#include <string.h>

#include "tree_sitter/parser.h"

#define MOST_COMMENTS 100 // looked over; what stands behind more of them begins a statement

enum TokenType { LINE_END, NO_DEFINITION, LINE_MAY_GO_ON, CONDITION_MAY_GO_ON, LOST };

static void skip_line(TSLexer *lexer) {
  while (lexer->lookahead != '\n' && !lexer->eof(lexer)) lexer->advance(lexer, false);
}

static void skip_block_comment(TSLexer *lexer) {
  bool star = false; // the one of the opening does not close
  while (!lexer->eof(lexer)) {
    lexer->advance(lexer, false);
    if (star && lexer->lookahead == '/') {
      lexer->advance(lexer, false);
      return;
    }
    star = lexer->lookahead == '*';
  }
}

static bool is_blank(int32_t c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == 0xFEFF;
}

static bool is_name(int32_t c) {
  return c && !is_blank(c) && (c > 127 || !strchr(";\"'`#+-*/%.()=,!><[]:{}&|~^?", c));
}

/// Whether one of the three words, in any case, comes next; steps over it.
static bool finds_word(TSLexer *lexer, const char *one, const char *two, const char *three) {
  char word[9];
  size_t length = 0;
  for (; is_name(lexer->lookahead); lexer->advance(lexer, false)) {
    if (length == sizeof word - 1 || lexer->lookahead > 127) return false;
    word[length++] = (char)(lexer->lookahead | ' '); // no two letters or digits become one by it
  }
  word[length] = 0;
  return !strcmp(word, one) || !strcmp(word, two) || !strcmp(word, three);
}

/// Whether an operator or bracket comes next; without `any`, only whether a logical one does.
static bool finds_operator(TSLexer *lexer, bool any) {
  switch (lexer->lookahead) {
    case '+': case '-': case '*': case '%': case '^': case '<': case '>': case '=':
    case '.': case ':': case '(': case '[':
      return any;
    case '!':
      lexer->advance(lexer, false);
      return any && lexer->lookahead == '=';
    case '&': case '|':
      return true;
    default:
      return finds_word(lexer, "and", "or", "or");
  }
}

static void skip_blanks(TSLexer *lexer) {
  while (is_blank(lexer->lookahead)) lexer->advance(lexer, false);
}

/// Whether `func`, at which the lexer stands, is followed by parameters or none, and then by a brace.
static bool finds_anonymous_function(TSLexer *lexer) {
  if (!finds_word(lexer, "func", "function", "def")) return false;
  skip_blanks(lexer);
  bool bracket = lexer->lookahead == '(';
  if (bracket) lexer->advance(lexer, false);
  bool after_name = false;
  for (;;) {
    skip_blanks(lexer);
    if (lexer->lookahead == ',') {
      lexer->advance(lexer, false);
      after_name = false;
    } else if (is_name(lexer->lookahead)) {
      if (after_name && !bracket) return false; // the first is the function's own name
      while (is_name(lexer->lookahead)) lexer->advance(lexer, false);
      after_name = true;
    } else if (bracket && lexer->lookahead == ')') {
      lexer->advance(lexer, false);
      bracket = false;
      after_name = true;
    } else {
      return lexer->lookahead == '{';
    }
  }
}

void *tree_sitter_ring_external_scanner_create(void) { return NULL; }
void tree_sitter_ring_external_scanner_destroy(void *payload) {}
unsigned tree_sitter_ring_external_scanner_serialize(void *payload, char *buffer) { return 0; }
void tree_sitter_ring_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {}

bool tree_sitter_ring_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
  if (valid[LOST]) return false;
  if (valid[NO_DEFINITION]) {
    while (is_blank(lexer->lookahead) && !(valid[LINE_END] && lexer->lookahead == '\n')) {
      lexer->advance(lexer, true);
    }
    if (lexer->lookahead != '\n') {
      lexer->mark_end(lexer);
      lexer->result_symbol = NO_DEFINITION;
      return finds_anonymous_function(lexer);
    }
  }
  if (!valid[LINE_END]) return false;
  lexer->mark_end(lexer); // the end takes no room: blanks and comments after it are the grammar's
  bool line_ended = false;
  bool divides = false;
  for (unsigned comments = 0; comments < MOST_COMMENTS && !lexer->eof(lexer);) {
    if (is_blank(lexer->lookahead)) {
      line_ended |= lexer->lookahead == '\n';
      lexer->advance(lexer, false);
      continue;
    }
    if (!line_ended) return false; // a comment here is the grammar's, which then asks again
    if (lexer->lookahead != '#' && lexer->lookahead != '/') break;
    bool hash = lexer->lookahead == '#';
    lexer->advance(lexer, false);
    if (hash || lexer->lookahead == '/') {
      skip_line(lexer);
    } else if (lexer->lookahead == '*') {
      skip_block_comment(lexer);
    } else {
      divides = true;
      break;
    }
    comments++;
  }
  if (!line_ended || lexer->lookahead == '{') return false;
  if (valid[LINE_MAY_GO_ON] || valid[CONDITION_MAY_GO_ON]) {
    bool any = valid[LINE_MAY_GO_ON];
    if (divides ? any : finds_operator(lexer, any)) return false;
  }
  lexer->result_symbol = LINE_END;
  return true;
}
