import { isUniqueViolation } from '../../database/faults.ts'
import type { Executor } from '../../database/pool.ts'
import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { checkPermission } from '../../objects/access/permissions.ts'
import { parseChanges } from '../../objects/operations/parse.ts'
import type { PresentedObject } from '../../objects/store.ts'
import { createObject, schemaFor } from '../../objects/writing/create.ts'
import { type Created, presentCreated } from '../../objects/writing/present-created.ts'
import { type UpdateOptions, updateObject } from '../../objects/writing/update.ts'
import { dateFromDatabase } from '../../values/date.ts'
import { isJsonObject, type JsonObject } from '../../values/json.ts'
import { INSTALLATION, type Push } from '../push.ts'
import {
  checkKeepsIds,
  type Holder,
  hasIdentity,
  type Identity,
  identityOf,
  lockHolders,
  removeOthers,
  revive,
  textOf,
  withoutEmptyIds,
} from './installation-identity.ts'
import { noticeLogin, withDefaults, withVendor } from './installation-validity.ts'

/** A saved installation, for the response to a POST. */
export interface SavedInstallation {
  readonly id: string
  /** Whether this request created it. */
  readonly isNew: boolean
  /** The response body as JSON text. */
  readonly text: string
}

/** Unique constraints by which two concurrent saves of one device can conflict. */
const UNIQUE = ['installation_id', 'installation_token', '_Installation_pkey']

/** Maximum number of attempts after conflicts with concurrent saves of the same ids. */
const ATTEMPTS = 10

/**
 * Saves the record of a device. It is found by its installation id, else by the `objectId` in the body, else by its device token,
 * and created if missing (protocol/push, Saving an installation). Other records with one of the ids are deleted: each device has
 * one record.
 * @param fetch whether the response contains the fields
 * @throws ApiError 112, 114, 403, and the errors of `createObject` and `updateObject`
 */
export async function saveInstallation(
  push: Push,
  body: unknown,
  fetch: boolean,
  caller: Caller,
): Promise<SavedInstallation> {
  if (!isJsonObject(body)) throw errors.malformedJson('The body must be a JSON object.')
  const given = withoutEmptyIds(body)
  await prepare(push, given, false, 'create', caller)
  const identity = identityOf(given)
  const saved = await unlessOvertaken(push, caller, async (transaction) => {
    const holders = await lockHolders(push, transaction, identity, textOf(given.objectId), caller)
    const known = ownRecord(holders, identity)
    await removeOthers(push, transaction, holders, identity, known?.id ?? null)
    await revive(push, transaction, identity)
    if (!known) return makeInstallation(push, transaction, given, caller)
    const options = { where: null, fetch, transaction }
    const answer = await updateObject(push.objects, INSTALLATION, known.id, withVendor(given, known), options, caller)
    return { known, answer }
  })
  if (!isCreated(saved)) return asKnown(saved.known, saved.answer)
  return { id: saved.id, isNew: true, text: await asNew(push, saved, given, fetch, caller) }
}

/** Creates an installation. @param id its object id; omitted: a new one */
async function makeInstallation(
  push: Push,
  transaction: Executor,
  body: JsonObject,
  caller: Caller,
  id?: string,
): Promise<Created> {
  const fields = await withDefaults(push, transaction, body)
  const within = { transaction, ...(id !== undefined && { id }) }
  return createObject(push.objects, INSTALLATION, fields, caller, within)
}

function isCreated(saved: object): saved is Created {
  return 'schema' in saved
}

/**
 * Updates an installation. If it gets an id of another installation, that one is deleted. A device keeps its object id when its
 * app moves to another server. If the object id is unknown here but the body has an installation id, the device's existing record
 * is updated, or a new one is created with that object id.
 * @returns as `updateObject`
 * @throws ApiError 112, 114, 119, and the errors of `createObject` and `updateObject`
 */
export async function updateInstallation(
  push: Push,
  id: string,
  body: unknown,
  options: Omit<UpdateOptions, 'transaction'>,
  caller: Caller,
): Promise<PresentedObject> {
  if (!isJsonObject(body)) throw errors.malformedJson('The body must be a JSON object.')
  checkKeepsIds(body, caller)
  const identity = identityOf(body)
  if (!hasIdentity(identity) && textOf(body.registrationId) === null)
    return updateObject(push.objects, INSTALLATION, id, body, options, caller)
  await prepare(push, body, true, 'update', caller)
  const saved = await unlessOvertaken(push, caller, async (transaction) => {
    const holders = await lockHolders(push, transaction, identity, id, caller)
    const known = holders.find((holder) => holder.id === id) ?? movedRecord(holders, identity, options)
    const isNew = !known && isMoved(identity, options)
    await removeOthers(push, transaction, holders, identity, known?.id ?? id)
    await revive(push, transaction, identity)
    if (isNew) return makeInstallation(push, transaction, body, caller, id)
    const fields = known ? withVendor(body, known) : body
    return updateObject(push.objects, INSTALLATION, known?.id ?? id, fields, { ...options, transaction }, caller)
  })
  if (!isCreated(saved)) return saved
  const text = await asNew(push, saved, body, options.fetch, caller)
  return { updatedAt: saved.createdAt, ...JSON.parse(text) }
}

/** Returns whether an update of an unknown object id may save the device. Not with a condition, which no record could meet. */
function isMoved({ installationId }: Identity, { where }: Pick<UpdateOptions, 'where'>): boolean {
  return installationId !== null && where === null
}

function movedRecord(
  holders: readonly Holder[],
  identity: Identity,
  options: Pick<UpdateOptions, 'where'>,
): Holder | undefined {
  if (!isMoved(identity, options)) return undefined
  return holders.find(({ installationId }) => installationId === identity.installationId)
}

/**
 * Checks the changes and registers new fields before the transaction begins: the transaction holds a connection and must not wait
 * for a second one.
 */
async function prepare(
  { objects }: Push,
  body: JsonObject,
  dotted: boolean,
  operation: 'create' | 'update',
  caller: Caller,
): Promise<void> {
  const changes = parseChanges(body, dotted)
  checkPermission(INSTALLATION, objects.classes.get(INSTALLATION)!.permissions, operation, caller)
  await schemaFor(objects, INSTALLATION, changes, caller)
}

/**
 * Retries a transaction after a conflict: when two requests set the same id concurrently, the unique indexes reject one, which
 * then finds the other's record.
 */
async function unlessOvertaken<Result>(
  { database }: Push,
  { origin }: Caller,
  work: (transaction: Executor) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await database.transaction(work, origin?.principal)
    } catch (error) {
      const isOvertaken = UNIQUE.some((constraint) => isUniqueViolation(error, constraint))
      if (!isOvertaken || attempt === ATTEMPTS) throw error
    }
  }
}

/** Returns the record of the device. */
function ownRecord(holders: readonly Holder[], { installationId, deviceToken }: Identity): Holder | undefined {
  const byInstallation = holders.find((holder) => installationId !== null && holder.installationId === installationId)
  const byToken = (holder: Holder) => deviceToken !== null && holder.deviceToken === deviceToken
  // The others have the token, or are named by the body. A named record is used unless it belongs to another device.
  const named = holders.find(
    (holder) => !byToken(holder) && (installationId === null || holder.installationId === null),
  )
  return byInstallation ?? named ?? holders.find(byToken)
}

function asKnown({ id, createdAt }: Holder, answer: PresentedObject): SavedInstallation {
  return { id, isNew: false, text: JSON.stringify({ createdAt: dateFromDatabase(createdAt), ...answer }) }
}

/** Returns the response for a new installation, as JSON text. */
async function asNew(push: Push, made: Created, given: JsonObject, fetch: boolean, caller: Caller): Promise<string> {
  if (!Object.hasOwn(given, 'valid') && textOf(given.installationId) !== null) await noticeLogin(push, made.id)
  const { id, createdAt } = made
  return fetch ? presentCreated(push.objects, made, caller) : JSON.stringify({ objectId: id, createdAt })
}
