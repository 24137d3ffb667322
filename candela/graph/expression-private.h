/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The expression language, in three steps: text to tokens (expression-lex.c),
 * tokens to operands (expression-parse.c, and expression-operand.c for what they
 * are), names and lists of arguments to the inputs and parameters of an op
 * (expression-call.c). Nothing here names an op:
 * operators are asked of the registry by their symbols. */
#pragma once

#include <candela/graph/expression.h>
#include <candela/graph/node-private.h>
#include <candela/op/registry-private.h>

G_BEGIN_DECLS

/* Brackets, prefix operators and powers within each other. */
#define CANDELA_MAX_NESTING 1000

typedef enum {
  CANDELA_TOKEN_END,
  CANDELA_TOKEN_SEPARATOR, /* a semicolon, or a line's end outside brackets */
  CANDELA_TOKEN_INT,
  CANDELA_TOKEN_FLOAT,
  CANDELA_TOKEN_IMAGINARY,
  CANDELA_TOKEN_STRING,
  CANDELA_TOKEN_NAME,
  CANDELA_TOKEN_TRUE,
  CANDELA_TOKEN_FALSE,
  CANDELA_TOKEN_NONE,
  CANDELA_TOKEN_ATTRIBUTE, /* a name after a dot */
  CANDELA_TOKEN_ELLIPSIS,
  CANDELA_TOKEN_OPERATOR,
  CANDELA_TOKEN_CHARACTER /* ( ) [ ] , : = */
} CandelaTokenKind;

typedef struct
{
  const char *symbol;
  const char *infix, *prefix; /* as which the registry knows it; NULL: it is none */
  guint8 precedence;          /* as infix; 0: it is none */
} CandelaOperator;

enum {
  CANDELA_PRECEDENCE_COMPARISON = 1,
  CANDELA_PRECEDENCE_OR,
  CANDELA_PRECEDENCE_XOR,
  CANDELA_PRECEDENCE_AND,
  CANDELA_PRECEDENCE_SHIFT,
  CANDELA_PRECEDENCE_SUM,
  CANDELA_PRECEDENCE_PRODUCT,
  CANDELA_PRECEDENCE_PREFIX,
  CANDELA_PRECEDENCE_POWER
};

#define CANDELA_N_OPERATORS 20

extern const CandelaOperator candela_operators[CANDELA_N_OPERATORS];

typedef struct
{
  CandelaTokenKind kind;
  gsize start, end; /* in bytes of the text */
  const char *name; /* of names, attributes and strings; lives as long as the lexer */
  guint op;         /* of operators: the index in candela_operators */
  char character;
  guint64 integer; /* a magnitude: a minus sign is an operator */
  double number;
} CandelaToken;

/* Texts of so many bytes need no memory for their words. */
#define CANDELA_SHORT_TEXT 256

typedef struct
{
  const char *text; /* valid UTF-8, ended by NUL */
  gsize position;   /* the end of the last token */
  guint brackets;   /* open ones: within them a line's end is white space */
  gboolean part;    /* its user has not written it: errors of ops are told without their places */
  char *words;      /* names and strings, each ended by NUL, at their places in the text */
  char *copy;       /* of the text, if it was not ended by NUL; else NULL */
  char few[CANDELA_SHORT_TEXT];
} CandelaLexer;

gboolean candela_lexer_init (CandelaLexer *lexer, const char *text, gssize length, GError **error);
void candela_lexer_clear (CandelaLexer *lexer);
gboolean candela_lexer_next (CandelaLexer *lexer, CandelaToken *token, GError **error);

/* What a token is called in a message: "'+'", "the end of the line". */
char *candela_lexer_describe (const CandelaLexer *lexer, const CandelaToken *token);

/* Sets a syntax error at a position of the text; returns FALSE. */
gboolean candela_lexer_fail (const CandelaLexer *lexer, gsize position, GError **error, const char *format, ...)
  G_GNUC_PRINTF (4, 5);

/* Moves an error over, its message now with line and column before it and the
 * line with a caret below it; returns FALSE. */
gboolean candela_lexer_locate (const CandelaLexer *lexer, gsize position, GError **error, GError *cause);

/* What an expression within the text is: not always a value, since parameters
 * are written as values are. */
typedef enum {
  CANDELA_OPERAND_EMPTY,
  CANDELA_OPERAND_NODE,
  CANDELA_OPERAND_LIST,
  CANDELA_OPERAND_TEXT,
  CANDELA_OPERAND_NONE,
  CANDELA_OPERAND_UNBOUND, /* a name that nothing is bound to: a target, a keyword or a dtype */
  CANDELA_OPERAND_OPERATOR /* no operand: what waits for them */
} CandelaOperandKind;

typedef struct _CandelaOperand
{
  CandelaOperandKind kind;
  guint8 op; /* of operators: the index in candela_operators … */
  guint8 precedence;
  guint8 prefix;
  gsize start;
  const char *name; /* if it is nothing but a name, bound or not */
  union
  {
    CandelaNode *node;
    GArray *list; /* of CandelaOperand */
    const char *text;
  };
} CandelaOperand;

void candela_operand_clear (CandelaOperand *operand);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CandelaOperand, candela_operand_clear)
void candela_operand_copy (CandelaOperand *to, const CandelaOperand *from);
GArray *candela_list_new (void);

/* A row of operands that grows. */
typedef struct
{
  guint n, size;
  CandelaOperand *many; /* NULL: they are few */
  CandelaOperand few[8];
} CandelaOperands;

static inline void
candela_operands_init (CandelaOperands *operands)
{
  operands->n = 0;
  operands->size = G_N_ELEMENTS (operands->few);
  operands->many = NULL;
}

static inline CandelaOperand *
candela_operands_get (CandelaOperands *operands, guint i)
{
  return (operands->many != NULL ? operands->many : operands->few) + i;
}

/* Takes the operand over. */
void candela_operands_push (CandelaOperands *operands, const CandelaOperand *operand);
/* Drops what comes after the first n. */
void candela_operands_truncate (CandelaOperands *operands, guint n);
void candela_operands_clear (CandelaOperands *operands);

/* A name that the caller binds. */
typedef struct
{
  const char *name;
  CandelaNode *node;
} CandelaNamedNode;

/* The one value of an expression that is part of another one. */
CandelaNode *candela_expression_build_part (const char *text, const CandelaNamedNode *named, guint n_named,
                                            GError **error);

/* One reading of one text. Everything that grows with the text is in arrays;
 * the stack of C grows with brackets only. */
typedef struct
{
  CandelaLexer lexer;
  CandelaToken token; /* the one that is looked at */
  CandelaRegistry *registry;
  GHashTable *names;             /* what the caller binds: name to CandelaNode; or NULL … */
  const CandelaNamedNode *named; /* … and more of it, the last one of a name counts */
  guint n_named;
  GHashTable *bindings;  /* what statements bind: name to CandelaOperand; NULL: nothing yet */
  GPtrArray *bound;      /* their names, in order, twice if bound twice; NULL: none yet */
  GHashTable *lists;     /* a list (GArray) that was used as a tensor to its one CandelaNode; NULL: none yet */
  CandelaOperands stack; /* operands and operators that wait for each other */
  CandelaOp *infix[CANDELA_N_OPERATORS];
  CandelaOp *prefix[CANDELA_N_OPERATORS];
  GPtrArray *held; /* ops that stay until the reading ends; NULL: none that need it */
  guint depth;
} CandelaParser;

gboolean candela_parser_advance (CandelaParser *parser, GError **error);
gboolean candela_parser_at (const CandelaParser *parser, char character);
gboolean candela_parser_accept (CandelaParser *parser, char character, gboolean *accepted, GError **error);
gboolean candela_parser_enter (CandelaParser *parser, gsize start, GError **error);
gboolean candela_parser_expression (CandelaParser *parser, CandelaOperand *result, GError **error);

/* What a name is bound to, as an operand that owns nothing; FALSE if to nothing. */
gboolean candela_parser_find (CandelaParser *parser, const char *name, CandelaOperand *operand);

/* Takes an op by its symbol, "index:[]", or by its name. */
CandelaOp *candela_parser_lookup (CandelaParser *parser, const char *name, gboolean symbol, gsize start,
                                  GError **error);

/* The op over nodes, errors with their place. params has the value of each of the
 * op's parameters, NULL for those that are not given; or it is NULL. */
gboolean candela_parser_build (CandelaParser *parser, CandelaOp *op, CandelaNode *const *inputs, gsize n_inputs,
                               GVariant *const *params, gsize start, CandelaOperand *result, GError **error);

/* Makes the operand one value, a node: a list becomes a tensor of its numbers. */
gboolean candela_parser_settle (CandelaParser *parser, CandelaOperand *operand, GError **error);

/* "unknown name", with what may have been meant. */
gboolean candela_parser_fail_unbound (CandelaParser *parser, const CandelaOperand *operand, GError **error);

/* What to write for a word of Python that is none here; NULL for all others. */
const char *candela_parser_foreign_word (const char *name);

/* "x.shape", "x.ndim", "x.size", "x.dtype": what is known of a node without running
 * anything, as it is written in an expression. FALSE: none of these words. */
gboolean candela_operand_ask (CandelaNode *node, const char *word, CandelaOperand *answer);

/* A number that is known without running anything. */
typedef struct
{
  CandelaDType dtype; /* BOOL, INT64, UINT64 (that no int64 holds), FLOAT64 or COMPLEX128 */
  gint64 integer;     /* also of a bool; the bits of a uint64 */
  double parts[2];    /* of whatever it is: the number, and an imaginary part */
} CandelaScalar;

/* FALSE if the operand is no such number. */
gboolean candela_operand_get_scalar (const CandelaOperand *operand, CandelaScalar *scalar);

/* The dtype of numbers together; INVALID stands for none. */
CandelaDType candela_scalar_promote (CandelaDType dtype, const CandelaScalar *scalar);

/* Numbers (a GArray of CandelaScalar) as packed elements. */
guint8 *candela_scalars_pack (const GArray *scalars, CandelaDType dtype);

/* b, x, t, d or (dd). */
GVariant *candela_scalar_to_variant (const CandelaScalar *scalar);

/* The nearest name to what was written, or NULL: best is updated by offering
 * one candidate after the other. */
typedef struct
{
  const char *wanted;
  char *name;
  guint distance;
} CandelaSuggestion;

void candela_suggestion_offer (CandelaSuggestion *suggestion, const char *candidate);

/* The token is the one after the op's name: the opening parenthesis. */
gboolean candela_parser_call (CandelaParser *parser, CandelaOp *op, gsize start, CandelaOperand *result,
                              GError **error);

/* The token is the opening bracket; base is what is indexed, and becomes a node. */
gboolean candela_parser_index (CandelaParser *parser, CandelaOperand *base, CandelaOperand *result, GError **error);

G_END_DECLS
