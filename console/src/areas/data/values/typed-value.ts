import { ownMember } from '../../../api/own-member.ts'
import type { Acl } from '../data-queries.ts'

/** Values in wire format. */
export interface PointerValue {
  readonly __type: 'Pointer'
  readonly className: string
  readonly objectId: string
}

export interface DateValue {
  readonly __type: 'Date'
  /** UTC */
  readonly iso: string
}

export interface GeoPointValue {
  readonly __type: 'GeoPoint'
  readonly latitude: number
  readonly longitude: number
}

export interface FileValue {
  readonly __type: 'File'
  readonly id: string
  /** Any value: file records can be created manually. */
  readonly name?: unknown
  readonly url?: unknown
}

type Members = { readonly [name: string]: unknown }

/** Returns whether a value is a JSON object. */
export function isRecord(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Returns whether a value has a given `__type`, with members of the right types: clients and imports can store any others inside
 * objects and lists, which are shown as JSON.
 */
function isTyped(value: unknown, type: string, members: { readonly [name: string]: 'string' | 'number' }): boolean {
  if (!isRecord(value) || ownMember(value, '__type') !== type) return false
  return Object.entries(members).every(([name, of]) => typeof ownMember(value, name) === of)
}

export const isPointer = (value: unknown): value is PointerValue =>
  isTyped(value, 'Pointer', { className: 'string', objectId: 'string' })
export const isDate = (value: unknown): value is DateValue => isTyped(value, 'Date', { iso: 'string' })
export const isGeoPoint = (value: unknown): value is GeoPointValue =>
  isTyped(value, 'GeoPoint', { latitude: 'number', longitude: 'number' })
export const isFile = (value: unknown): value is FileValue => isTyped(value, 'File', { id: 'string' })

/** Returns the name of a file; its id without one. */
export function fileName({ name, id }: FileValue): string {
  return typeof name === 'string' ? name : id
}

/** Returns an ACL without invalid entries. */
export function aclOf(value: unknown): Acl {
  if (!isRecord(value)) return {}
  return Object.fromEntries(Object.entries(value).filter(([, rights]) => isRecord(rights))) as Acl
}

export function pointerTo(className: string, objectId: string): PointerValue {
  return { __type: 'Pointer', className, objectId }
}

/** Returns the URL of a file when browsers can open it safely; null for others, such as `javascript:`. */
export function webUrl(url: unknown): string | null {
  return typeof url === 'string' && /^https?:\/\//i.test(url) ? url : null
}
