import type { Row } from '../../database/row.ts'
import { type Sql, sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import { notice } from '../../notices/notice.ts'
import { emptyAsObject, isJsonObject, type JsonObject } from '../../values/json.ts'
import { isObjectId } from '../../values/names.ts'
import type { Caller } from './caller.ts'

/** An ACL as stored; null means that everyone may read and write. */
export type Acl = JsonObject | null

/** Placeholder for the creating user in the default ACL of a class. */
const OWNER_KEY = '_owner'

export const PUBLIC_ACL_TEXT = '{"*":{"read":true,"write":true}}'

/** The columns of a row by which its ACL is checked: null in `readers` or `writers` means everyone. */
export interface AclColumns {
  readonly acl: string | null
  readonly readers: readonly string[] | null
  readonly writers: readonly string[] | null
}

const PUBLIC: AclColumns = { acl: null, readers: null, writers: null }

/** Parses an ACL value (protocol/storage, ACL value) and drops permissions that are false. @throws ApiError 123 */
export function parseAcl(wire: unknown, allowOwner = false): JsonObject {
  const value = emptyAsObject(wire)
  if (!isJsonObject(value)) throw errors.invalidAcl(notice('aclNotObject'))
  const entries = Object.entries(value).map(([grantee, member]) => {
    const permissions = emptyAsObject(member)
    if (!isGrantee(grantee) && !(allowOwner && grantee === OWNER_KEY)) {
      throw errors.invalidAcl(notice('aclKeyInvalid', { key: grantee.slice(0, 80) }))
    }
    if (!isJsonObject(permissions)) throw errors.invalidAcl(notice('aclEntryNotObject', { key: grantee }))
    for (const [permission, granted] of Object.entries(permissions)) {
      if ((permission !== 'read' && permission !== 'write') || typeof granted !== 'boolean') {
        throw errors.invalidAcl(notice('aclEntryInvalid', { key: grantee }))
      }
    }
    return [grantee, granted(permissions)] as const
  })
  return Object.fromEntries(entries.filter(([, permissions]) => Object.keys(permissions).length > 0))
}

function isGrantee(key: string): boolean {
  return key === '*' || isObjectId(key) || /^role:[^\p{Cc}\p{Cs}]{1,128}$/u.test(key)
}

function granted(permissions: JsonObject): JsonObject {
  return { ...(permissions.read === true && { read: true }), ...(permissions.write === true && { write: true }) }
}

/** Returns the ACL of a new object that has none: the template of the class, with the owner filled in. */
export function aclFromTemplate(template: Acl, caller: Caller): Acl {
  if (template === null || !(OWNER_KEY in template)) return template
  const { [OWNER_KEY]: owner, ...others } = template
  return caller.userId === null ? others : { ...others, [caller.userId]: owner! }
}

/**
 * Returns the ACL that an update gives an object; undefined when it keeps its ACL. An update that deletes the ACL gives the
 * object the ACL of a new one.
 * @param given as in `Changes`
 */
export function aclAfter(given: JsonObject | null | undefined, template: Acl, caller: Caller): Acl | undefined {
  return given === null ? aclFromTemplate(template, caller) : given
}

export function aclColumns(acl: Acl): AclColumns {
  if (acl === null) return PUBLIC
  const readers = grantees(acl, 'read')
  const writers = grantees(acl, 'write')
  if (readers === null && writers === null && Object.keys(acl).length === 1) return PUBLIC
  return { acl: JSON.stringify(acl), readers, writers }
}

function grantees(acl: JsonObject, permission: 'read' | 'write'): string[] | null {
  const names = Object.keys(acl).filter((name) => (acl[name] as JsonObject)[permission] === true)
  return names.includes('*') ? null : names
}

const EVERYTHING = sql`TRUE`

/** Returns the condition over `readers` for the rows that the caller may read. */
export function readableBy(caller: Caller): Sql {
  return caller.master ? EVERYTHING : allows(sql`readers`, caller)
}

/** Returns whether the caller may read a row: `readableBy` for a row in memory. */
export function mayRead({ readers }: Row, caller: Caller): boolean {
  return (
    caller.master || readers === null || caller.grants.some((grant) => (readers as readonly string[]).includes(grant))
  )
}

/** Returns the condition over `writers` for the rows that the caller may write. */
export function writableBy(caller: Caller): Sql {
  return caller.master ? EVERYTHING : allows(sql`writers`, caller)
}

function allows(column: Sql, caller: Caller): Sql {
  if (caller.grants.length === 0) return sql`${column} IS NULL`
  return sql`(${column} IS NULL OR ${column} && ${caller.grants}::text[])`
}
