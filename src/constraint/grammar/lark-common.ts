/**
 * The terminals that Lark grammars import from `common`, in our own definitions of what Lark's
 * documentation says they are. Regexes are such that whole texts match what the lexer would find.
 */

/** Name -> the right-hand side of its definition. */
export const commonTerminals: Readonly<Record<string, string>> = {
  DIGIT: '"0".."9"',
  HEXDIGIT: 'DIGIT | "a".."f" | "A".."F"',
  INT: 'DIGIT+',
  SIGNED_INT: '("+" | "-")? INT',
  DECIMAL: 'INT "." INT? | "." INT',
  _EXP: '"e"i SIGNED_INT',
  FLOAT: 'INT _EXP | DECIMAL _EXP?',
  SIGNED_FLOAT: '("+" | "-")? FLOAT',
  NUMBER: 'FLOAT | INT',
  SIGNED_NUMBER: '("+" | "-")? NUMBER',
  ESCAPED_STRING: String.raw`/"(?:[^"\\\n]|\\[^\n])*"/`,
  LCASE_LETTER: '"a".."z"',
  UCASE_LETTER: '"A".."Z"',
  LETTER: 'LCASE_LETTER | UCASE_LETTER',
  WORD: 'LETTER+',
  CNAME: '("_" | LETTER) ("_" | LETTER | DIGIT)*',
  WS_INLINE: '(" " | "\\t")+',
  WS: '(" " | "\\t" | "\\f" | "\\r" | "\\n")+',
  CR: '"\\r"',
  LF: '"\\n"',
  NEWLINE: '(CR? LF)+',
  SH_COMMENT: String.raw`/#[^\n]*/`,
  CPP_COMMENT: String.raw`/\/\/[^\n]*/`,
  C_COMMENT: String.raw`/\/\*(?:[^*]|\*+[^*\/])*\*+\//`,
  SQL_COMMENT: String.raw`/--[^\n]*/`,
};
