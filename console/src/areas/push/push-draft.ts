import { parseLocalTime, parseNumber, parseObject, Unparsed } from '../../parts/entry/parse-entry.ts'

/** The operators of a condition, by the type of its field. */
export const OPERATORS = {
  String: ['equals', 'notEquals', 'startsWith', 'exists', 'missing'],
  Number: ['equals', 'notEquals', 'above', 'below', 'exists', 'missing'],
  Boolean: ['equals', 'exists', 'missing'],
  Date: ['above', 'below', 'exists', 'missing'],
  Array: ['contains', 'exists', 'missing'],
} as const

export type FieldType = keyof typeof OPERATORS
type Operator = (typeof OPERATORS)[FieldType][number]

/** One condition on devices. */
export interface Condition {
  readonly id: number
  readonly field: string
  readonly type: FieldType
  readonly operator: Operator
  /** As typed: a text, a number, `true` or `false`, a local time. */
  readonly value: string
}

export const TARGETS = ['all', 'channels', 'conditions', 'where', 'device'] as const
type Target = (typeof TARGETS)[number]

/** A push being composed: all values as typed. */
export interface Draft {
  /** Whether `data` is built from fields, or written as JSON. */
  readonly form: 'fields' | 'json'
  readonly title: string
  readonly alert: string
  readonly badge: string
  readonly sound: string
  /** JSON: additional data for the app */
  readonly custom: string
  /** JSON: all of `data` */
  readonly json: string
  readonly platforms: readonly ('ios' | 'android')[]
  readonly target: Target
  readonly channels: readonly string[]
  readonly conditions: readonly Condition[]
  /** JSON */
  readonly where: string
  /** The id of an installation */
  readonly device: string
  readonly environment: 'prod' | 'dev'
  /** Local times in the format of `<input type="datetime-local">`, or `INCOMPLETE_TIME`; empty: immediately, and never. */
  readonly pushAt: string
  readonly expiresAt: string
}

export const EMPTY: Draft = {
  form: 'fields',
  title: '',
  alert: '',
  badge: '',
  sound: '',
  custom: '{}',
  json: '{\n  "alert": ""\n}',
  platforms: [],
  target: 'all',
  channels: [],
  conditions: [],
  where: '{}',
  device: '',
  environment: 'prod',
  pushAt: '',
  expiresAt: '',
}

/** A number, or the keyword that increments the count on devices. */
export const BADGE = /^(\d{0,6}|Increment)$/
/** The placeholder of an incomplete time. */
export const INCOMPLETE_TIME = 'incomplete'

type Json = { readonly [name: string]: unknown }

/** The audience of a push, as in its request. */
export interface Audience {
  readonly where: Json
  readonly channels?: readonly string[]
}

/** The fault of a draft: the name of the missing or malformed member. */
export type Fault =
  | 'alert'
  | 'badge'
  | 'custom'
  | 'json'
  | 'channels'
  | 'conditions'
  | 'where'
  | 'device'
  | 'pushAt'
  | 'pushAtWrong'
  | 'expiresAtWrong'

/** @returns the body of `POST /1.1/push`, or the fault of the draft */
export function requestOf(draft: Draft, now = Date.now()): { readonly body: Json } | { readonly fault: Fault } {
  const data = dataOf(draft)
  if (typeof data === 'string') return { fault: data }
  const audience = audienceOf(draft)
  if (typeof audience === 'string') return { fault: audience }
  const pushAt = timeOf(draft.pushAt)
  if (pushAt instanceof Unparsed) return { fault: 'pushAtWrong' }
  if (pushAt && Date.parse(pushAt.iso) <= now) return { fault: 'pushAt' }
  const expiresAt = timeOf(draft.expiresAt)
  if (expiresAt instanceof Unparsed) return { fault: 'expiresAtWrong' }
  return {
    body: {
      data,
      ...audience,
      prod: draft.environment,
      ...(pushAt && { push_time: pushAt.iso }),
      ...(expiresAt && { expiration_time: expiresAt.iso }),
    },
  }
}

/** Returns the time of a field; undefined when it is empty. */
function timeOf(text: string) {
  return text === '' ? undefined : parseLocalTime(text)
}

/** Returns the content for devices, or its fault. */
export function dataOf({ form, title, alert, badge, sound, custom, json }: Draft): Json | Fault {
  if (form === 'json') return objectIn(json) ?? 'json'
  const own = objectIn(custom)
  if (!own) return 'custom'
  if (alert === '') return 'alert'
  if (!BADGE.test(badge)) return 'badge'
  return {
    ...own,
    alert,
    ...(title !== '' && { title }),
    ...(badge !== '' && { badge: badge === 'Increment' ? badge : Number(badge) }),
    ...(sound !== '' && { sound }),
  }
}

/** Returns the audience, or its fault. */
export function audienceOf({
  platforms,
  target,
  channels,
  conditions,
  where,
  device,
}: Pick<Draft, 'platforms' | 'target' | 'channels' | 'conditions' | 'where' | 'device'>): Audience | Fault {
  const ofPlatforms: Json = platforms.length === 0 ? {} : { deviceType: oneOf(platforms) }
  switch (target) {
    case 'all':
      return { where: ofPlatforms }
    case 'channels':
      return channels.length === 0 ? 'channels' : { where: ofPlatforms, channels }
    case 'device':
      return device === '' ? 'device' : { where: { objectId: device } }
    case 'where': {
      const condition = objectIn(where)
      return condition ? { where: both(condition, ofPlatforms) } : 'where'
    }
    case 'conditions': {
      if (conditions.length === 0 || !conditions.every(isComplete)) return 'conditions'
      return { where: conditions.map(conditionOf).reduce(both, ofPlatforms) }
    }
  }
}

/** Combines both conditions: in one object when their fields differ. */
function both(first: Json, second: Json): Json {
  const isApart = Object.keys(second).every((name) => !(name in first))
  return isApart ? { ...first, ...second } : { $and: [first, second] }
}

function oneOf(values: readonly string[]): unknown {
  return values.length === 1 ? values[0] : { $in: values }
}

function isComplete({ field, type, operator, value }: Condition): boolean {
  if (field === '') return false
  if (operator === 'exists' || operator === 'missing') return true
  if (type === 'Number') return !(parseNumber(value) instanceof Unparsed)
  if (type === 'Date') return !(parseLocalTime(value) instanceof Unparsed)
  return value !== ''
}

function conditionOf(condition: Condition): Json {
  const { field, operator, value } = condition
  switch (operator) {
    case 'equals':
    case 'contains':
      return { [field]: comparedWith(condition) }
    case 'notEquals':
      return { [field]: { $ne: comparedWith(condition) } }
    case 'above':
      return { [field]: { $gt: comparedWith(condition) } }
    case 'below':
      return { [field]: { $lt: comparedWith(condition) } }
    case 'startsWith':
      return { [field]: { $regex: `^${value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}` } }
    case 'exists':
      return { [field]: { $exists: true } }
    case 'missing':
      return { [field]: { $exists: false } }
  }
}

function comparedWith({ type, value }: Condition): unknown {
  switch (type) {
    case 'Number':
      return Number(value)
    case 'Boolean':
      return value === 'true'
    case 'Date':
      return { __type: 'Date', iso: new Date(value).toISOString() }
    default:
      return value
  }
}

function objectIn(text: string): Json | null {
  const value = parseObject(text)
  return value instanceof Unparsed ? null : value
}
