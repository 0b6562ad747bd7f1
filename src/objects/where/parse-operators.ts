import { errors } from '../../errors.ts'
import { checkText, isJsonObject, type JsonObject } from '../../values/json.ts'
import { listOperand, operand, orderedOperand } from './operand.ts'
import { DISTANCE_OPERATORS, parseNear, parseWithin } from './parse-geo.ts'
import { parseInQuery, parseSelect } from './parse-sub-query.ts'
import { type Path, showPath } from './path.ts'
import { compilePattern, type Pattern } from './pattern.ts'
import { count, countPattern, countPatternCost, deeper, type Place } from './place.ts'
import { allOf, type Comparison, NOTHING, not, type Where } from './tree.ts'

const COMPARISONS: Readonly<Record<string, Comparison>> = { $lt: '<', $lte: '<=', $gt: '>', $gte: '>=' }

/** Several operators on one key mean AND (protocol/storage, Where operators). @throws ApiError 102 */
export function parseOperators(path: Path, operators: JsonObject, place: Place): Where {
  const names = Object.keys(operators).filter((name) => !isModifier(name, operators, path))
  count(place, names.length)
  return allOf(names.map((name) => parseOperator(path, name, operators, place)))
}

function parseOperator(path: Path, name: string, operators: JsonObject, place: Place): Where {
  const wire: unknown = operators[name]
  switch (name) {
    case '$eq':
      return { kind: 'equal', path, value: operand(path, wire) }
    case '$ne':
      return not({ kind: 'equal', path, value: operand(path, wire) })
    case '$in':
      return { kind: 'oneOf', path, values: listOperand(path, name, wire, place) }
    case '$nin':
      return not({ kind: 'oneOf', path, values: listOperand(path, name, wire, place) })
    case '$all':
      return parseAll(path, wire, place)
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
      return { kind: 'pattern', path, pattern: parsePattern(path, wire, operators.$options, place) }
    case '$not':
      return parseNot(path, wire, place)
    case '$inQuery':
      return parseInQuery(path, name, wire, place)
    case '$notInQuery':
      return not(parseInQuery(path, name, wire, place))
    case '$select':
      return parseSelect(path, name, wire, place)
    case '$dontSelect':
      return not(parseSelect(path, name, wire, place))
    case '$nearSphere':
      return parseNear(path, operators, place)
    case '$within':
      return parseWithin(path, wire)
    default:
      throw errors.invalidQuery(`The operator '${name.slice(0, 40)}' of '${showPath(path)}' does not exist.`)
  }
}

/** True for a key that is part of another operator of the same object. @throws ApiError 102 when that one is missing */
function isModifier(name: string, operators: JsonObject, path: Path): boolean {
  const main = name === '$options' ? '$regex' : DISTANCE_OPERATORS.has(name) ? '$nearSphere' : null
  if (main === null) return false
  if (!Object.hasOwn(operators, main)) {
    throw errors.invalidQuery(`'${name}' of '${showPath(path)}' stands together with '${main}', which is missing.`)
  }
  return true
}

/** Contains all the values; an empty list is contained in nothing (protocol/storage, Where operators: `$all`). */
function parseAll(path: Path, wire: unknown, place: Place): Where {
  const values = listOperand(path, '$all', wire, place)
  count(place, values.length)
  return values.length === 0 ? NOTHING : allOf(values.map((value) => ({ kind: 'equal', path, value })))
}

function parseExists(path: Path, wire: unknown): Where {
  if (typeof wire !== 'boolean') throw errors.invalidQuery(`'$exists' of '${showPath(path)}' is true or false.`)
  return wire ? { kind: 'exists', path } : not({ kind: 'exists', path })
}

function parseSize(path: Path, wire: unknown): Where {
  if (typeof wire !== 'number' || !Number.isSafeInteger(wire) || wire < 0) {
    throw errors.invalidQuery(`'$size' of '${showPath(path)}' is a whole number from 0 on.`)
  }
  return { kind: 'size', path, size: wire }
}

function parsePattern(path: Path, source: unknown, options: unknown, place: Place): Pattern {
  const field = showPath(path)
  if (typeof source !== 'string') throw errors.invalidQuery(`'$regex' of '${field}' is a string.`)
  if (options !== undefined && (typeof options !== 'string' || !/^[imxs]*$/.test(options))) {
    throw errors.invalidQuery(`'$options' of '${field}' is a string of the letters i, m, x and s.`)
  }
  countPattern(place, source)
  const pattern = compilePattern(checkText(source, `'${field}'`), options ?? '', field)
  // A text needs no compiling.
  if (pattern.literal === null) countPatternCost(place, pattern.cost)
  return pattern
}

function parseNot(path: Path, wire: unknown, place: Place): Where {
  if (!isJsonObject(wire) || !Object.keys(wire).some((key) => key.startsWith('$'))) {
    throw errors.invalidQuery(`'$not' of '${showPath(path)}' needs an object of operators; for a value use '$ne'.`)
  }
  return not(parseOperators(path, wire, { ...deeper(place), nearSphere: false }))
}
