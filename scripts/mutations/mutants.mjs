import { createHash } from 'node:crypto'
import { parseAst } from 'rolldown/parseAst'
import { sqlMutations } from './sql-mutations.mjs'

/**
 * A possible change of one source file.
 * @typedef {object} Mutant
 * @property {string} id the same as long as the file does not change before and at the mutant
 * @property {string} file path from the root of the project
 * @property {number} line of the change, from 1
 * @property {string} operator kind of the change
 * @property {string} original text that is replaced, shortened
 * @property {string} mutant text that replaces it, shortened
 * @property {'expression' | 'leading expression' | 'statement'} kind syntax of the replaced span; a leading expression
 *   starts a statement
 * @property {number} start of the replaced span, in UTF-16 units
 * @property {number} end of the replaced span, exclusive
 * @property {string} replacement full text that replaces the span; empty for a removed statement
 */

const BOUNDARIES = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' }
const NEGATIONS = {
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
  '===': '!==',
  '!==': '===',
  '==': '!=',
  '!=': '==',
}
const ARITHMETIC = { '+': '-', '-': '+', '*': '/', '/': '*' }
const ASSIGNMENTS = { '+=': '-=', '-=': '+=' }
const LOGICAL = { '&&': '||', '||': '&&' }
const LOG_LEVELS = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])
/** A duration that is a millisecond longer passes every test. */
const DURATION = /(_MS|_SECONDS|timeout|patience|interval|delay|ttl|lease|Ms|Seconds)$|TIMEOUT|PATIENCE|INTERVAL|DELAY/
/** Wrappers of TypeScript whose expression remains at run time. */
const TYPED_EXPRESSIONS = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression'])
const MAX_SHOWN = 110
/** Characters of SQL shown before and after a change. */
const SQL_SHOWN = 45

/**
 * Finds all mutants of a TypeScript file. Skips imports, types and log calls.
 * @param {string} file path from the root of the project
 * @param {string} source text of the file
 * @returns {Mutant[]} ordered by position
 */
export function findMutants(file, source) {
  const mutants = []
  const statementStarts = new Set()
  const text = ({ start, end }) => source.slice(start, end)

  /** Adds the mutant that replaces a node. `at` is the position of the change when it is inside the node. */
  function add(operator, node, replacement, shown = {}, kind = 'expression') {
    const { at = node.start, original = text(node), mutant = replacement } = shown
    mutants.push({
      id: createHash('sha256')
        .update([file, node.start, at, operator, replacement].join('\0'))
        .digest('hex')
        .slice(0, 8),
      file,
      line: source.slice(0, at).split('\n').length,
      operator,
      original: shorten(original),
      mutant: shorten(mutant),
      kind: kind === 'expression' && statementStarts.has(node.start) ? 'leading expression' : kind,
      start: node.start,
      end: node.end,
      replacement,
    })
  }

  /** Replaces the operator between two operands. */
  function addOperator(name, node, operator) {
    // The spans of operands do not include their parentheses.
    const gap = source.slice(node.left.end, node.right.start).replace(node.operator, () => operator)
    add(name, node, source.slice(node.start, node.left.end) + gap + source.slice(node.right.start, node.end))
  }

  const onNode = {
    BinaryExpression(node, { parent }) {
      const { operator } = node
      if (BOUNDARIES[operator]) addOperator('boundary', node, BOUNDARIES[operator])
      if (hasConstantMutants(node, parent)) return
      if (NEGATIONS[operator]) addOperator('negation', node, NEGATIONS[operator])
      else if (operator === 'in' || operator === 'instanceof') add('negation', node, `!(${text(node)})`)
      if (ARITHMETIC[operator] && !(operator === '+' && (isText(node.left) || isText(node.right))))
        addOperator('arithmetic', node, ARITHMETIC[operator])
    },
    LogicalExpression(node) {
      if (LOGICAL[node.operator]) addOperator('logical', node, LOGICAL[node.operator])
      else add('fallback', node, text(node.left))
    },
    AssignmentExpression(node) {
      if (ASSIGNMENTS[node.operator]) addOperator('arithmetic', node, ASSIGNMENTS[node.operator])
    },
    UpdateExpression(node) {
      const operator = node.operator === '++' ? '--' : '++'
      const argument = text(node.argument)
      add('arithmetic', node, node.prefix ? `${operator}${argument}` : `${argument}${operator}`)
    },
    UnaryExpression(node, { parent }) {
      if (node.operator === '!' && !hasConstantMutants(node, parent)) add('negation', node, text(node.argument))
    },
    Literal(node, { products, inDuration }) {
      if (typeof node.value === 'boolean') add('boolean', node, String(!node.value))
      else if (typeof node.value === 'number' && !inDuration && !products.has(node))
        add('number', node, String(node.value + 1))
      else if (typeof node.value === 'string') {
        const word = node.value.trim()
        if (word === 'AND' || word === 'OR') add('sql', node, text(node).replace(word, word === 'AND' ? 'OR' : 'AND'))
      }
    },
    IfStatement({ test }) {
      if (test.type === 'Literal') return
      for (const constant of ['true', 'false'])
        add('condition', test, constant, { original: `if (${text(test)})`, mutant: `if (${constant})` })
    },
    WhileStatement({ test }) {
      if (test.type === 'Literal') return
      add('condition', test, 'false', { original: `while (${text(test)})`, mutant: 'while (false)' })
    },
    ConditionalExpression({ test }) {
      // The negations of these are separate mutants.
      if (isNegatable(test)) return
      add('condition', test, `!(${text(test)})`, { original: `${text(test)} ? …`, mutant: `!(${text(test)}) ? …` })
    },
    ReturnStatement({ argument }, { returnType }) {
      if (argument) addReturned(argument, returnType)
    },
    ArrowFunctionExpression({ body, returnType }) {
      if (body.type !== 'BlockStatement') addReturned(body, returnType)
    },
    ExpressionStatement(node) {
      statementStarts.add(node.start)
      if (isCall(node.expression)) add('call removed', node, '', { mutant: '(removed)' }, 'statement')
    },
    CallExpression(node, { parent, grandparent }) {
      // Parentheses around the start of a chain would end its short circuit.
      const inChain = parent?.type === 'MemberExpression' || parent?.type === 'CallExpression'
      if (inChain && grandparent && hasOptionalStart(node)) return
      const { callee } = node
      if (callee.type !== 'MemberExpression' || callee.computed || node.arguments.length !== 1) return
      const name = callee.property.name
      if (name === 'filter') add('filter removed', node, text(callee.object), { original: text(node) })
      else if (name === 'some' || name === 'every') {
        const other = name === 'some' ? 'every' : 'some'
        const { start, end } = callee.property
        add('some/every', node, source.slice(node.start, start) + other + source.slice(end, node.end))
      }
    },
    TaggedTemplateExpression(node) {
      if (node.tag.type === 'Identifier' && node.tag.name === 'sql') addSql(node, node.quasi)
    },
    TemplateLiteral(node, { parent }) {
      if (parent?.type !== 'TaggedTemplateExpression') addSql(node, node)
    },
  }

  function addReturned(argument, returnType) {
    const type = promised(returnType?.typeAnnotation)
    const other = otherResult(type)
    if (other === null || text(argument) === other) return
    if (other === '!') {
      if (['CallExpression', 'AwaitExpression', 'Identifier', 'MemberExpression'].includes(argument.type))
        add('return value', argument, `!(${text(argument)})`, { original: `return ${text(argument)}` })
      return
    }
    add('return value', argument, other, { original: `return ${text(argument)}`, mutant: `return ${other}` })
  }

  function addSql(node, template) {
    for (const { start, end, replacement } of sqlMutations(template, source)) {
      const changed = source.slice(node.start, start) + replacement + source.slice(end, node.end)
      const near = Math.max(node.start, start - SQL_SHOWN)
      const from = Math.max(
        near,
        source.lastIndexOf('\n', start) + 1,
        near === node.start ? 0 : source.indexOf(' ', near),
      )
      const newline = source.indexOf('\n', end)
      const to = Math.min(newline < 0 ? node.end : newline, end + SQL_SHOWN, node.end)
      const mutant = source.slice(from, start) + replacement + source.slice(end, to)
      add('sql', node, changed, { at: start, original: source.slice(from, to), mutant })
    }
  }

  function visit(node, context) {
    if (node.type.startsWith('TS') && !TYPED_EXPRESSIONS.has(node.type)) return
    if (node.type === 'ImportDeclaration' || isLogCall(node)) return
    const inner = { ...context, grandparent: context.parent, parent: node }
    if ('returnType' in node || node.type === 'FunctionExpression') inner.returnType = node.returnType
    if (DURATION.test(nameOf(node))) inner.inDuration = true
    if (isProductOfLiterals(node)) inner.products = new Set([...context.products, node.right, ...literalsRightOf(node)])
    onNode[node.type]?.(node, context)
    for (const [key, value] of Object.entries(node)) {
      if (key === 'parent' || ((key === 'key' || key === 'property') && !node.computed)) continue
      for (const child of Array.isArray(value) ? value : [value]) {
        if (typeof child?.type === 'string') visit(child, inner)
      }
    }
  }

  visit(parseAst(source, { lang: 'ts' }, file), { products: new Set() })
  return mutants.sort((one, other) => one.start - other.start || one.end - other.end)
}

function shorten(text) {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN - 1)}…` : line
}

/** Returns whether the node is replaced by constants, which tests detect less often than its negation. */
const hasConstantMutants = (node, parent) =>
  (parent?.type === 'IfStatement' || parent?.type === 'WhileStatement') && parent.test === node

const isText = (node) => node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string')

const isNegatable = (node) =>
  (node.type === 'BinaryExpression' && NEGATIONS[node.operator]) ||
  (node.type === 'UnaryExpression' && node.operator === '!')

function isCall(node) {
  if (node.type === 'AwaitExpression') return isCall(node.argument)
  const call = node.type === 'ChainExpression' ? node.expression : node
  return call.type === 'CallExpression' && call.callee.type !== 'Super' && !isLogCall(call)
}

/** Returns whether the node is `log.warn(…)`, `this.#log.warn(…)` or `console.log(…)`. */
function isLogCall(node) {
  if (node.type === 'ExpressionStatement') return isLogCall(node.expression)
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return false
  const { object, property } = node.callee
  const name = object.name ?? object.property?.name
  return name === 'console' || (name === 'log' && LOG_LEVELS.has(property.name))
}

/** Returns whether the call is part of `a?.b.c(…)`. */
function hasOptionalStart(node) {
  for (let at = node; at; at = at.callee ?? at.object) if (at.optional) return true
  return false
}

/** Returns the name under which a value is declared or passed; empty without one. */
function nameOf(node) {
  if (node.type === 'VariableDeclarator') return node.id.name ?? ''
  if (node.type === 'Property' || node.type === 'PropertyDefinition') return node.key.name ?? ''
  return ''
}

/** Returns whether the node is a constant such as `60 * 1000`. */
const isProductOfLiterals = (node) =>
  node.type === 'BinaryExpression' &&
  node.operator === '*' &&
  isNumber(node.right) &&
  (isNumber(node.left) || isProductOfLiterals(node.left))

const isNumber = (node) => node.type === 'Literal' && typeof node.value === 'number'

/** Returns all factors of a product but the first. */
function literalsRightOf(node) {
  return node.type === 'BinaryExpression' ? [...literalsRightOf(node.left), node.right] : []
}

/** Returns the type within `Promise<…>`. */
function promised(type) {
  if (type?.type !== 'TSTypeReference' || type.typeName.name !== 'Promise') return type
  return type.typeArguments?.params[0]
}

/** Returns another result of the type: an expression, `!` for the negated result, null without one. */
function otherResult(type) {
  switch (type?.type) {
    case 'TSBooleanKeyword':
    case 'TSTypePredicate':
      return '!'
    case 'TSArrayType':
      return '[]'
    case 'TSTypeOperator':
      return type.operator === 'readonly' ? otherResult(type.typeAnnotation) : null
    case 'TSUnionType':
      if (type.types.some((one) => one.type === 'TSNullKeyword')) return 'null'
      return type.types.some((one) => one.type === 'TSUndefinedKeyword') ? 'undefined' : null
    default:
      return null
  }
}
