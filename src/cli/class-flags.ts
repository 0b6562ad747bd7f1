import { type Command, InvalidArgumentError } from 'commander'

/** The flags of a class: members of a request body of the management API. */
export interface ClassFlags {
  readonly field?: Members
  readonly permission?: Members
  readonly defaultAcl?: unknown
  readonly unique?: readonly string[][]
  readonly index?: readonly string[][]
}

type Members = { readonly [name: string]: unknown }

const OPERATIONS = ['create', 'find', 'get', 'update', 'delete', 'addField']
const SWITCHES = ['required', 'readOnly', 'hidden', 'userPrivate', 'autoIncrement', 'searchable'] as const

export function withClassFlags(command: Command): Command {
  return command
    .option(
      '--field <name:Type[,option…]>',
      'a field, for example url:String,required or author:Pointer:_User; options: required, readOnly, hidden, hidden=results, userPrivate, autoIncrement, searchable, default=<JSON>, comment=<text>',
      parseField,
    )
    .option(
      '--permission <operation=who>',
      `${OPERATIONS.join(', ')} or all = public, users, master, or a list such as role:editor,user:<objectId>`,
      parsePermission,
    )
    .option('--default-acl <JSON>', 'ACL of new objects, for example {"_owner":{"read":true,"write":true}}', parseJson)
    .option('--unique <fields>', 'unique index on these fields, separated by commas', parseFields)
    .option('--index <fields>', 'index on these fields, separated by commas; -field for descending order', parseFields)
}

/** @returns the members that the flags set */
export function bodyOf({ field, permission, defaultAcl, unique = [], index = [] }: ClassFlags): object {
  const indexes = [
    ...unique.map((fields) => ({ fields, unique: true })),
    ...index.map((fields) => ({ fields, unique: false })),
  ]
  return {
    ...(field && { fields: field }),
    ...(permission && { permissions: permission }),
    ...(defaultAcl !== undefined && { defaultAcl }),
    ...(indexes.length > 0 && { indexes }),
  }
}

function parseField(text: string, before: Members = {}): Members {
  const [head = '', ...options] = splitOptions(text)
  const [name = '', type, className, ...rest] = head.split(':')
  if (name === '' || rest.length > 0)
    throw new InvalidArgumentError('must be name:Type, name:Pointer:Class or name:Relation:Class')
  return {
    ...before,
    [name]: {
      ...(type && { type }),
      ...(className && { className }),
      ...Object.assign({}, ...options.map(parseOption)),
    },
  }
}

/** Splits the options of a field. The value of the last option may contain commas. */
function splitOptions(text: string): string[] {
  const value = /,(?:default|comment)=/.exec(text)
  if (!value) return text.split(',')
  return [...text.slice(0, value.index).split(','), text.slice(value.index + 1)]
}

function parseOption(option: string): Members {
  const [name, value] = option.split(/=(.*)/s)
  if (name === 'default') return { default: parseJson(value ?? '') }
  if (name === 'comment') return { comment: value ?? '' }
  if (name === 'hidden' && value === 'results') return { hidden: value }
  if (SWITCHES.some((known) => known === name) && (value === undefined || /^(true|false)$/.test(value)))
    return { [name!]: value !== 'false' }
  throw new InvalidArgumentError(
    `option '${option}' must be ${SWITCHES.join(', ')}, hidden=results, default=<JSON> or comment=<text>`,
  )
}

function parsePermission(text: string, before: Members = {}): Members {
  const [operation = '', who = ''] = text.split(/=(.*)/s)
  if (operation !== 'all' && !OPERATIONS.includes(operation))
    throw new InvalidArgumentError(`operation '${operation}' must be ${OPERATIONS.join(', ')} or all`)
  const operations = operation === 'all' ? OPERATIONS : [operation]
  return { ...before, ...Object.fromEntries(operations.map((name) => [name, parseWho(who)])) }
}

function parseWho(who: string): unknown {
  if (['public', 'users', 'master'].includes(who)) return who
  const named = (kind: string) => items.filter((item) => item.startsWith(kind)).map((item) => item.slice(kind.length))
  const items = who.split(',')
  if (!items.every((item) => /^(role|user):./.test(item)))
    throw new InvalidArgumentError('must be public, users, master, or a list such as role:editor,user:<objectId>')
  return { users: named('user:'), roles: named('role:') }
}

function parseFields(text: string, before: readonly string[][] = []): readonly string[][] {
  return [...before, text.split(',')]
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new InvalidArgumentError('must be JSON; a string needs double quotes')
  }
}
