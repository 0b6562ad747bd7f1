import { isObject, type Operator } from './conditions.ts'

/** The query syntax of an SDK. */
export interface Language {
  /** The language name, not translated */
  readonly name: string
  /** Returns the lines that create a query of a class in the given variable. */
  open(variable: string, className: string): string
  /** @param value a literal; empty when the operator takes none */
  condition(variable: string, operator: Operator, field: string, value: string): string
  order(variable: string, field: string, isDescending: boolean, isFirst: boolean): string
  limit(variable: string, limit: number): string
  /** Returns a query that combines several with or. */
  either(variable: string, className: string, branches: readonly string[]): string
  find(variable: string): readonly string[]
  literal(value: unknown): string
}

type Names = { readonly [operator in Operator]: string }

/** The method names of most SDKs, without their prefix. */
const NAMES: Names = {
  equal: 'EqualTo',
  notEqual: 'NotEqualTo',
  less: 'LessThan',
  lessOrEqual: 'LessThanOrEqualTo',
  greater: 'GreaterThan',
  greaterOrEqual: 'GreaterThanOrEqualTo',
  in: 'ContainedIn',
  notIn: 'NotContainedIn',
  all: 'ContainsAll',
  size: 'SizeEqualTo',
  exists: 'Exists',
  notExists: 'DoesNotExist',
  matches: 'Matches',
  near: 'Near',
}

/** Characters that a literal cannot contain, or that would hide the meaning of the code. */
const UNSEEN = /["\\]|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu
const SHORT: { readonly [character: string]: string } = {
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '"': '\\"',
  '\\': '\\\\',
}

/**
 * Returns a text as a literal in double quotes.
 * @param escapeOf returns the escape of a code point in the language
 */
function literalText(value: string, escapeOf: (codePoint: number) => string): string {
  return `"${value.replace(UNSEEN, (found) => SHORT[found] ?? escapeOf(found.codePointAt(0)!))}"`
}

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')
/** Escapes a code point as one or two UTF-16 units, as most languages do. */
const units = (codePoint: number) =>
  Array.from({ length: codePoint > 0xffff ? 2 : 1 }, (_, at) => {
    return `\\u${hex(String.fromCodePoint(codePoint).charCodeAt(at), 4)}`
  }).join('')

const text = (value: string) => literalText(value, units)
/** @param field a literal */
const call = (variable: string, method: string, field: string, value: string, end: string) =>
  `${variable}.${method}(${value === '' ? field : `${field}, ${value}`})${end}`

interface Literals {
  readonly nothing: string
  readonly booleans: readonly [string, string]
  text(value: string): string
  list(items: readonly string[]): string
  map(members: readonly (readonly [string, string])[]): string
  date(iso: string): string
  pointer(className: string, id: string): string
  geoPoint(latitude: number, longitude: number): string
}

function literalWith(literals: Literals): (value: unknown) => string {
  const literal = (value: unknown): string => {
    if (value === null || value === undefined) return literals.nothing
    if (typeof value === 'boolean') return literals.booleans[value ? 0 : 1]
    if (typeof value === 'string') return literals.text(value)
    if (Array.isArray(value)) return literals.list(value.map(literal))
    if (!isObject(value)) return JSON.stringify(value)
    switch (value.__type) {
      case 'Date':
        return literals.date(String(value.iso))
      case 'Pointer':
        return literals.pointer(String(value.className), String(value.objectId))
      case 'GeoPoint':
        return literals.geoPoint(Number(value.latitude), Number(value.longitude))
      default:
        return literals.map(Object.entries(value).map(([name, member]) => [literals.text(name), literal(member)]))
    }
  }
  return literal
}

const pairs = (members: readonly (readonly [string, string])[]) =>
  members.map(([name, value]) => `${name}: ${value}`).join(', ')
const lower = (name: string) => name[0]!.toLowerCase() + name.slice(1)

const javascript: Language = {
  name: 'JavaScript',
  open: (variable, className) => `const ${variable} = new AV.Query(${text(className)})`,
  condition: (variable, operator, field, value) =>
    call(variable, lower(NAMES[operator]), text(field), operator === 'matches' ? `new RegExp(${value})` : value, ''),
  order: (variable, field, isDescending, isFirst) => {
    const direction = isDescending ? 'Descending' : 'Ascending'
    return `${variable}.${isFirst ? lower(direction) : `add${direction}`}(${text(field)})`
  },
  limit: (variable, limit) => `${variable}.limit(${limit})`,
  either: (variable, _, branches) => `const ${variable} = AV.Query.or(${branches.join(', ')})`,
  find: (variable) => [`const objects = await ${variable}.find()`],
  literal: literalWith({
    nothing: 'null',
    booleans: ['true', 'false'],
    text,
    list: (items) => `[${items.join(', ')}]`,
    map: (members) => `{ ${pairs(members)} }`,
    date: (iso) => `new Date(${text(iso)})`,
    pointer: (className, id) => `AV.Object.createWithoutData(${text(className)}, ${text(id)})`,
    geoPoint: (latitude, longitude) => `new AV.GeoPoint(${latitude}, ${longitude})`,
  }),
}

const java: Language = {
  name: 'Java',
  open: (variable, className) => `LCQuery<LCObject> ${variable} = new LCQuery<>(${text(className)});`,
  condition: (variable, operator, field, value) =>
    call(variable, operator === 'size' ? 'whereSizeEqual' : `where${NAMES[operator]}`, text(field), value, ';'),
  order: (variable, field, isDescending, isFirst) =>
    `${variable}.${isFirst ? 'orderBy' : 'add'}${isDescending ? 'Descending' : 'Ascending'}${isFirst ? '' : 'Order'}(${text(field)});`,
  limit: (variable, limit) => `${variable}.limit(${limit});`,
  either: (variable, _, branches) =>
    `LCQuery<LCObject> ${variable} = LCQuery.or(Arrays.asList(${branches.join(', ')}));`,
  find: (variable) => [`List<LCObject> objects = ${variable}.find();`],
  literal: literalWith({
    nothing: 'null',
    booleans: ['true', 'false'],
    text,
    list: (items) => `Arrays.asList(${items.join(', ')})`,
    map: (members) =>
      `new HashMap<String, Object>() {{ ${members.map(([name, value]) => `put(${name}, ${value});`).join(' ')} }}`,
    date: (iso) => `Date.from(Instant.parse(${text(iso)}))`,
    pointer: (className, id) => `LCObject.createWithoutData(${text(className)}, ${text(id)})`,
    geoPoint: (latitude, longitude) => `new LCGeoPoint(${latitude}, ${longitude})`,
  }),
}

const SWIFT: Names = {
  equal: 'equalTo',
  notEqual: 'notEqualTo',
  less: 'lessThan',
  lessOrEqual: 'lessThanOrEqualTo',
  greater: 'greaterThan',
  greaterOrEqual: 'greaterThanOrEqualTo',
  in: 'containedIn',
  notIn: 'notContainedIn',
  all: 'containedAllIn',
  size: 'equalToSize',
  exists: 'existed',
  notExists: 'notExisted',
  matches: 'matchedRegularExpression',
  near: 'locatedNear',
}

/** Returns a Swift literal. Swift escapes code points in braces, and has no escape for a lone surrogate. */
const swiftText = (value: string) =>
  literalText(value, (codePoint) => `\\u{${codePoint >> 11 === 0x1b ? 'fffd' : hex(codePoint, 4)}}`)

const swift: Language = {
  name: 'Swift',
  open: (variable, className) => `let ${variable} = LCQuery(className: ${swiftText(className)})`,
  condition: (variable, operator, field, value) => {
    const rest =
      operator === 'matches' || operator === 'near' ? `${value}${operator === 'matches' ? ', option: nil' : ''}` : value
    return `${variable}.whereKey(${swiftText(field)}, .${SWIFT[operator]}${rest === '' ? '' : `(${rest})`})`
  },
  order: (variable, field, isDescending) =>
    `${variable}.whereKey(${swiftText(field)}, .${isDescending ? 'descending' : 'ascending'})`,
  limit: (variable, limit) => `${variable}.limit = ${limit}`,
  either: (variable, _, branches) =>
    `let ${variable} = try! ${branches.slice(1).reduce((combined, branch) => `${combined}.or(${branch})`, branches[0]!)}`,
  find: (variable) => [`${variable}.find { result in`, '    let objects = result.objects', '}'],
  literal: literalWith({
    nothing: 'LCNull()',
    booleans: ['true', 'false'],
    text: swiftText,
    list: (items) => `[${items.join(', ')}]`,
    map: (members) => `[${pairs(members)}]`,
    date: (iso) => `LCDate(isoString: ${swiftText(iso)})!`,
    pointer: (className, id) => `LCObject(className: ${swiftText(className)}, objectId: ${swiftText(id)})`,
    geoPoint: (latitude, longitude) => `LCGeoPoint(latitude: ${latitude}, longitude: ${longitude})`,
  }),
}

const csharp: Language = {
  name: 'C#',
  open: (variable, className) => `var ${variable} = new LCQuery<LCObject>(${text(className)});`,
  condition: (variable, operator, field, value) => call(variable, `Where${NAMES[operator]}`, text(field), value, ';'),
  order: (variable, field, isDescending, isFirst) =>
    `${variable}.${isFirst ? 'OrderBy' : 'Add'}${isDescending ? 'Descending' : 'Ascending'}${isFirst ? '' : 'Order'}(${text(field)});`,
  limit: (variable, limit) => `${variable}.Limit(${limit});`,
  either: (variable, _, branches) => `var ${variable} = LCQuery<LCObject>.Or(new[] { ${branches.join(', ')} });`,
  find: (variable) => [`var objects = await ${variable}.Find();`],
  literal: literalWith({
    nothing: 'null',
    booleans: ['true', 'false'],
    text,
    list: (items) => `new object[] { ${items.join(', ')} }`,
    map: (members) =>
      `new Dictionary<string, object> { ${members.map(([name, value]) => `[${name}] = ${value}`).join(', ')} }`,
    date: (iso) => `DateTime.Parse(${text(iso)})`,
    pointer: (className, id) => `LCObject.CreateWithoutData(${text(className)}, ${text(id)})`,
    geoPoint: (latitude, longitude) => `new LCGeoPoint(${latitude}, ${longitude})`,
  }),
}

const PYTHON: Names = {
  equal: 'equal_to',
  notEqual: 'not_equal_to',
  less: 'less_than',
  lessOrEqual: 'less_than_or_equal_to',
  greater: 'greater_than',
  greaterOrEqual: 'greater_than_or_equal_to',
  in: 'contained_in',
  notIn: 'not_contained_in',
  all: 'contains_all',
  size: 'size_equal_to',
  exists: 'exists',
  notExists: 'does_not_exist',
  matches: 'matched',
  near: 'near',
}

const pythonText = (value: string) =>
  literalText(value, (codePoint) => (codePoint > 0xffff ? `\\U${hex(codePoint, 8)}` : `\\u${hex(codePoint, 4)}`))

const python: Language = {
  name: 'Python',
  open: (variable, className) => `${variable} = leancloud.Query(${pythonText(className)})`,
  condition: (variable, operator, field, value) => call(variable, PYTHON[operator], pythonText(field), value, ''),
  order: (variable, field, isDescending, isFirst) => {
    const direction = isDescending ? 'descending' : 'ascending'
    return `${variable}.${isFirst ? direction : `add_${direction}`}(${pythonText(field)})`
  },
  limit: (variable, limit) => `${variable}.limit(${limit})`,
  either: (variable, _, branches) => `${variable} = leancloud.Query.or_(${branches.join(', ')})`,
  find: (variable) => [`objects = ${variable}.find()`],
  literal: literalWith({
    nothing: 'None',
    booleans: ['True', 'False'],
    text: pythonText,
    list: (items) => `[${items.join(', ')}]`,
    map: (members) => `{${pairs(members)}}`,
    date: (iso) => `datetime.fromisoformat(${pythonText(iso.replace(/Z$/, '+00:00'))})`,
    pointer: (className, id) =>
      `leancloud.Object.extend(${pythonText(className)}).create_without_data(${pythonText(id)})`,
    geoPoint: (latitude, longitude) => `leancloud.GeoPoint(${latitude}, ${longitude})`,
  }),
}

/** Returns a Dart literal, where `$` starts an expression. */
const dartText = (value: string) => text(value).replaceAll('$', '\\$')

const dart: Language = {
  name: 'Dart',
  open: (variable, className) => `LCQuery<LCObject> ${variable} = LCQuery(${dartText(className)});`,
  condition: (variable, operator, field, value) =>
    call(
      variable,
      operator === 'notExists' ? 'whereDoesNotExist' : `where${NAMES[operator]}`,
      dartText(field),
      value,
      ';',
    ),
  order: (variable, field, isDescending, isFirst) =>
    `${variable}.${isFirst ? 'orderBy' : 'add'}${isDescending ? 'Descending' : 'Ascending'}${isFirst ? '' : 'Order'}(${dartText(field)});`,
  limit: (variable, limit) => `${variable}.limit(${limit});`,
  either: (variable, _, branches) => `LCQuery<LCObject> ${variable} = LCQuery.or([${branches.join(', ')}]);`,
  find: (variable) => [`List<LCObject>? objects = await ${variable}.find();`],
  literal: literalWith({
    nothing: 'null',
    booleans: ['true', 'false'],
    text: dartText,
    list: (items) => `[${items.join(', ')}]`,
    map: (members) => `{${pairs(members)}}`,
    date: (iso) => `DateTime.parse(${dartText(iso)})`,
    pointer: (className, id) => `LCObject.createWithoutData(${dartText(className)}, ${dartText(id)})`,
    geoPoint: (latitude, longitude) => `LCGeoPoint(${latitude}, ${longitude})`,
  }),
}

export const LANGUAGES: readonly Language[] = [javascript, java, swift, csharp, python, dart]
