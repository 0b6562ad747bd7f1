import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { isSet, type Parameters, parseFindQuery, type View } from '../../objects/query-parameters.ts'
import type { Where } from '../../objects/where/tree.ts'
import { type Json, numberOf, parseJson, shown } from '../../values/json.ts'
import { checkObjectId } from '../../values/names.ts'
import { targetId } from '../../values/typed.ts'
import { parseInboxType } from './parse-status.ts'
import { isUser } from './status-rules.ts'

/** An inbox of a user. */
export interface Inbox {
  readonly ownerId: string
  readonly type: string
}

/** A query on an inbox. Numbers are message ids. */
export interface InboxQuery {
  /** Returns statuses after this id. */
  readonly since: number
  /** Returns statuses up to this id; null: up to the last. */
  readonly max: number | null
  readonly limit: number
  readonly skip: number
  /** Oldest first. */
  readonly isAscending: boolean
  readonly where: Where | null
  readonly count: boolean
  readonly view: View
}

const MAX_LIMIT = 100
const MAX_MESSAGE_ID = 2 ** 31 - 1

/**
 * Returns the inbox of a request. It is accessible to its owner, to the master key, and to every session if the app opens its
 * inboxes. SDKs send the owner as a Pointer, as its JSON text, or not at all.
 * @param isOpen whether the caller may use inboxes of other users
 * @throws ApiError 1; 206 without a session; 403 for the inbox of another user
 */
export function inboxOf({ owner, inboxType }: Parameters, caller: Caller, isOpen = false): Inbox {
  const type = parseInboxType(inboxType)
  const named = ownerOf(owner)
  if (named === null && caller.userId === null && caller.master)
    throw errors.badArgument("'owner' is missing; with the master key it must be a Pointer to a user.")
  if (caller.userId === null && !caller.master) throw errors.userWithoutSession()
  const ownerId = named ?? caller.userId!
  if (!caller.master && !isOpen && ownerId !== caller.userId)
    throw errors.forbidden(`Only its owner can access an inbox; 'owner' must be the user of the session.`)
  return { ownerId, type }
}

function ownerOf(wire: Json | undefined): string | null {
  if (wire === undefined || wire === null || wire === '' || wire === 'null') return null
  const value = typeof wire === 'string' ? (parseJson(wire, "'owner'") as Json) : wire
  if (!isUser(value)) throw errors.badArgument(`'owner' must be a Pointer to a user, not ${shown(wire)}.`)
  return checkObjectId(targetId(value))
}

/** Parses a query on an inbox. @throws ApiError 1, 102, 107, and the errors of the condition */
export function parseInboxQuery(parameters: Parameters): InboxQuery {
  const { where, order, skip, view } = parseFindQuery(parameters)
  const count = isSet(parameters.count)
  return {
    since: messageIdIn(parameters, 'sinceId') ?? 0,
    max: messageIdIn(parameters, 'maxId'),
    limit: limitOf(parameters.limit, count),
    skip,
    isAscending: isAscending(order.map(({ path, descending }) => [path.join('.'), descending])),
    where,
    count,
    view,
  }
}

/** Parses a message id. 0 means none. @throws ApiError 1 */
export function messageIdIn(parameters: Parameters, name: string): number | null {
  const wire = parameters[name]
  if (wire === undefined || wire === null || wire === '') return null
  const id = numberOf(wire)
  if (!Number.isInteger(id) || id < 0)
    throw errors.badArgument(`'${name}' must be a message id, a whole number of 0 or more, not ${shown(wire)}.`)
  return id === 0 ? null : Math.min(id, MAX_MESSAGE_ID)
}

/** Parses the limit, at most 100. Other values count as 100 (protocol/social, Statuses). */
function limitOf(wire: Json | undefined, count: boolean): number {
  const limit = wire === undefined || wire === null || wire === '' ? MAX_LIMIT : numberOf(wire)
  if (limit === 0 && count) return 0
  return Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT ? limit : MAX_LIMIT
}

/**
 * Parses the order. Statuses are ordered by message id; SDKs name that field or the creation time, which is nearly the same
 * order.
 */
function isAscending(order: readonly (readonly [name: string, descending: boolean])[]): boolean {
  const unknownField = order.find(([name]) => name !== 'messageId' && name !== 'createdAt')
  if (unknownField)
    throw errors.invalidQuery(
      `An inbox can be ordered by 'messageId' or '-messageId', not by '${unknownField[0].slice(0, 80)}'.`,
    )
  return order[0] !== undefined && !order[0][1]
}
