import { errors } from '../../errors.ts'
import { isJsonObject, type JsonObject, storableText } from '../../values/json.ts'
import { listOperand, operand, orderedOperand } from './operand.ts'
import { count, countPattern, countPatternCost, deeper, type ParseContext } from './parse-context.ts'
import { DISTANCE_OPERATORS, parseNear, parseWithin } from './parse-geo.ts'
import { parseInQuery, parseSelect } from './parse-sub-query.ts'
import { type Path, showPath } from './path.ts'
import { compilePattern, type Pattern } from './patterns/pattern.ts'
import { allOf, type Comparison, NOTHING, not, type Where } from './tree.ts'

const COMPARISONS: Readonly<Record<string, Comparison>> = { $lt: '<', $lte: '<=', $gt: '>', $gte: '>=' }

/** Parses the operators on one key, which are joined by AND (protocol/storage, Where operators). @throws ApiError 102 */
export function parseOperators(path: Path, operators: JsonObject, context: ParseContext): Where {
  const names = Object.keys(operators).filter((name) => !isModifier(name, operators, path))
  count(context, names.length)
  return allOf(names.map((name) => parseOperator(path, name, operators, context)))
}

function parseOperator(path: Path, name: string, operators: JsonObject, context: ParseContext): Where {
  const wire: unknown = operators[name]
  switch (name) {
    case '$eq':
      return { kind: 'equal', path, value: operand(path, wire) }
    case '$ne':
      return not({ kind: 'equal', path, value: operand(path, wire) })
    case '$in':
      return { kind: 'oneOf', path, values: listOperand(path, name, wire, context) }
    case '$nin':
      return not({ kind: 'oneOf', path, values: listOperand(path, name, wire, context) })
    case '$all':
      return parseAll(path, wire, context)
    case '$lt':
    case '$lte':
    case '$gt':
    case '$gte':
      return { kind: 'compare', path, operator: COMPARISONS[name]!, value: orderedOperand(path, name, wire) }
    case '$exists':
      return parseExists(path, wire)
    case '$size':
      return parseSize(path, wire)
    case '$regex':
      return { kind: 'pattern', path, pattern: parsePattern(path, wire, operators.$options, context) }
    case '$not':
      return parseNot(path, wire, context)
    case '$inQuery':
      return parseInQuery(path, name, wire, context)
    case '$notInQuery':
      return not(parseInQuery(path, name, wire, context))
    case '$select':
      return parseSelect(path, name, wire, context)
    case '$dontSelect':
      return not(parseSelect(path, name, wire, context))
    case '$nearSphere':
      return parseNear(path, operators, context)
    case '$within':
      return parseWithin(path, wire)
    default:
      throw errors.invalidQuery(`The operator '${name.slice(0, 40)}' of '${showPath(path)}' does not exist.`)
  }
}

/**
 * Returns whether a key is a modifier of another operator of the same object. @throws ApiError 102 when that operator is missing
 */
function isModifier(name: string, operators: JsonObject, path: Path): boolean {
  const main = name === '$options' ? '$regex' : DISTANCE_OPERATORS.has(name) ? '$nearSphere' : null
  if (main === null) return false
  if (!Object.hasOwn(operators, main)) {
    throw errors.invalidQuery(`'${name}' of '${showPath(path)}' requires '${main}', which is missing.`)
  }
  return true
}

/**
 * Parses `$all`: the field contains all the values; an empty list matches nothing (protocol/storage, Where operators: `$all`).
 */
function parseAll(path: Path, wire: unknown, context: ParseContext): Where {
  const values = listOperand(path, '$all', wire, context)
  count(context, values.length)
  return values.length === 0 ? NOTHING : allOf(values.map((value) => ({ kind: 'equal', path, value })))
}

function parseExists(path: Path, wire: unknown): Where {
  if (typeof wire !== 'boolean') throw errors.invalidQuery(`'$exists' of '${showPath(path)}' must be true or false.`)
  return wire ? { kind: 'exists', path } : not({ kind: 'exists', path })
}

function parseSize(path: Path, wire: unknown): Where {
  if (typeof wire !== 'number' || !Number.isSafeInteger(wire) || wire < 0) {
    throw errors.invalidQuery(`'$size' of '${showPath(path)}' must be an integer of 0 or more.`)
  }
  return { kind: 'size', path, size: wire }
}

function parsePattern(path: Path, source: unknown, options: unknown, context: ParseContext): Pattern {
  const field = showPath(path)
  if (typeof source !== 'string') throw errors.invalidQuery(`'$regex' of '${field}' must be a string.`)
  if (options !== undefined && (typeof options !== 'string' || !/^[imxs]*$/.test(options))) {
    throw errors.invalidQuery(`'$options' of '${field}' must be a string of the letters i, m, x and s.`)
  }
  countPattern(context, source)
  const pattern = compilePattern(storableText(source), options ?? '', field)
  // A literal pattern is not compiled.
  if (pattern.literal === null) countPatternCost(context, pattern.cost)
  return pattern
}

function parseNot(path: Path, wire: unknown, context: ParseContext): Where {
  if (!isJsonObject(wire) || !Object.keys(wire).some((key) => key.startsWith('$'))) {
    throw errors.invalidQuery(`'$not' of '${showPath(path)}' must be an object of operators; for a value use '$ne'.`)
  }
  return not(parseOperators(path, wire, { ...deeper(context), nearSphere: false }))
}
