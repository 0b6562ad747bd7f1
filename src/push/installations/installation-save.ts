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

/** An installation as the answer to a POST. */
export interface SavedInstallation {
  readonly id: string
  /** Whether this request has made it. */
  readonly isNew: boolean
  /** What is told of it, as JSON text. */
  readonly text: string
}

/** What two saves of one device may get into each other's way by. */
const UNIQUE = ['installation_id', 'installation_token', '_Installation_pkey']

/** How often a save is begun anew because another one with the same ids was faster. */
const ATTEMPTS = 10

/**
 * Saves the record of a device, which is found by its installation id, else by the `objectId` in the body, else by its
 * device token; when there is none it is made (protocol/push, Saving an installation). Other records with one of the
 * ids are removed: there is one for each device.
 * @param fetch whether the answer shows the fields
 * @throws ApiError 112, 114, 403, and those of `createObject` and `updateObject`
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

/** @param id the object id that it is to have; a new one unless told */
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
 * Changes an installation. When it gets an id that another one has, it takes it over and the other one is removed. A device
 * that names itself by an installation id and is not known by the object id that it has, which it keeps when its app moves
 * to another server, is saved: as the record that it has here, else as a new one with the object id that it knows.
 * @returns what `updateObject` returns
 * @throws ApiError 112, 114, 119, and those of `createObject` and `updateObject`
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

/** Whether a device that is not known by its object id is to be saved. A condition could be met by no record. */
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
 * Checks the changes and registers new fields, before the transaction begins: it holds a connection, and must not wait
 * for another one.
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

/** When two requests bring the same id at once, the unique indexes let one through; the other finds what it made. */
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

/** Which of the records is that of the device. */
function ownRecord(holders: readonly Holder[], { installationId, deviceToken }: Identity): Holder | undefined {
  const byInstallation = holders.find((holder) => installationId !== null && holder.installationId === installationId)
  const byToken = (holder: Holder) => deviceToken !== null && holder.deviceToken === deviceToken
  // The rest have the token or are named by the body, which counts unless the named one is known to be another device.
  const named = holders.find(
    (holder) => !byToken(holder) && (installationId === null || holder.installationId === null),
  )
  return byInstallation ?? named ?? holders.find(byToken)
}

function asKnown({ id, createdAt }: Holder, answer: PresentedObject): SavedInstallation {
  return { id, isNew: false, text: JSON.stringify({ createdAt: dateFromDatabase(createdAt), ...answer }) }
}

/** What is told of a new installation, as JSON text. */
async function asNew(push: Push, made: Created, given: JsonObject, fetch: boolean, caller: Caller): Promise<string> {
  if (!Object.hasOwn(given, 'valid') && textOf(given.installationId) !== null) await noticeLogin(push, made.id)
  const { id, createdAt } = made
  return fetch ? presentCreated(push.objects, made, caller) : JSON.stringify({ objectId: id, createdAt })
}
