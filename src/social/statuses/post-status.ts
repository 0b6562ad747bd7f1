import type { Executor } from '../../database/pool.ts'
import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { withIgnoredHooks } from '../../objects/access/hooks.ts'
import { withCurrentClasses } from '../../objects/classes/classes.ts'
import { noteWrite } from '../../objects/store.ts'
import { insertObject, prepareObject } from '../../objects/writing/create.ts'
import type { JsonObject } from '../../values/json.ts'
import { targetId } from '../../values/typed.ts'
import { userPointer } from '../friendship/friendship.ts'
import { type AudiencePage, audienceAfter } from './audience.ts'
import { deliver } from './deliver.ts'
import { beginFanOut } from './fan-out.ts'
import { ensureInboxType } from './inbox-types.ts'
import { parseStatus, type StatusRequest } from './parse-status.ts'
import { aclOf, isUser } from './status-rules.ts'
import { DEFAULT_INBOX, PRIVATE_INBOX, STATUS, type Statuses } from './statuses.ts'

export interface PostedStatus {
  readonly id: string
  /** ISO date. */
  readonly createdAt: string
}

/** Receivers served before the response; a job delivers to the others. */
const AT_ONCE = 200

/** Maximum receivers of a private status, because its ACL names them. */
const MAX_PRIVATE = 100

/**
 * Sends a status: creates the object and adds it to the inboxes of the users that the query yields. When this resolves, the first
 * receivers have it; the others will get it even if this process crashes.
 * @throws ApiError 1, 101, 102, 154, 206 without a session, 403, 429, and the errors of `createObject`
 */
export async function postStatus(statuses: Statuses, body: unknown, sender: Caller): Promise<PostedStatus> {
  if (!sender.master && sender.userId === null) throw errors.userWithoutSession()
  const request = parseStatus(body)
  const sourceId = sourceOf(request, sender)
  const { objects } = statuses
  const caller = withIgnoredHooks(objects, STATUS, request.data, sender)
  const first = await firstPage(statuses, request, caller)
  const fields = fieldsOf(request, sourceId, first)
  const object = await withCurrentClasses(objects, async () => {
    const prepared = await prepareObject(objects, STATUS, fields, caller, { owner: sourceId })
    await statuses.database.transaction(async (transaction) => {
      await insertObject(objects, prepared, caller, transaction)
      await deliverFirst(statuses, transaction, prepared.id, request, sourceId, first, caller)
    }, caller.origin?.principal)
    return prepared
  })
  noteWrite(objects, STATUS)
  return { id: object.id, createdAt: object.createdAt }
}

/**
 * Returns the source. Clients send as their own user, which `statusRules` checks; with the master key the request names the user.
 */
function sourceOf({ data: { source } }: StatusRequest, sender: Caller): string {
  if (isUser(source)) return targetId(source)
  if (sender.userId === null)
    throw errors.badArgument(`'data.source' is missing; with the master key it must be a Pointer to a user.`)
  return sender.userId
}

async function firstPage(statuses: Statuses, request: StatusRequest, caller: Caller): Promise<AudiencePage> {
  const isPrivate = request.inboxType === PRIVATE_INBOX
  const first = await audienceAfter(statuses, request.audience, '', isPrivate ? MAX_PRIVATE + 1 : AT_ONCE, caller)
  if (isPrivate && (first.users.length > MAX_PRIVATE || first.until !== null))
    throw errors.badArgument(`A status for the inbox 'private' must have at most ${MAX_PRIVATE} recipients.`)
  return first
}

function fieldsOf({ data, inboxType }: StatusRequest, sourceId: string, first: AudiencePage): JsonObject {
  const fields = { source: userPointer(sourceId), ...data }
  return inboxType === PRIVATE_INBOX && (data.ACL ?? null) === null
    ? { ...fields, ACL: aclOf(sourceId, first.users) }
    : fields
}

async function deliverFirst(
  statuses: Statuses,
  transaction: Executor,
  statusId: string,
  { audience, inboxType }: StatusRequest,
  sourceId: string,
  { users, until, isSlow = false }: AudiencePage,
  caller: Caller,
): Promise<void> {
  await ensureInboxType(statuses, transaction, inboxType)
  const receivers = inboxType === DEFAULT_INBOX ? [sourceId, ...users] : users
  await deliver(statuses, transaction, statusId, inboxType, receivers)
  if (until === null) return
  const fanOut = { statusId, inboxType, audience: { ...audience, isSlow }, after: until }
  await beginFanOut(statuses, transaction, fanOut, caller)
}
