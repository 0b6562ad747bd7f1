import type { Executor } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import type { JsonObject } from '../../values/json.ts'
import { isApple, vendorOf } from '../device.ts'
import { installationTable, type Push } from '../push.ts'
import { type Holder, INSTALLATION_ID, textOf } from './installation-identity.ts'

/* Whether a device receives pushes, unless a client has set this itself (protocol/push, Installation fields: valid). */

/** Adds the defaults of a new installation: `valid`, and `badge` for Apple devices. */
export async function withDefaults(push: Push, transaction: Executor, body: JsonObject): Promise<JsonObject> {
  const badge = isApple(body.deviceType) ? { badge: 0 } : {}
  const valid = Object.hasOwn(body, 'valid') ? {} : { valid: await isReachable(push, transaction, body) }
  return { ...badge, ...valid, ...body }
}

async function isReachable({ tables }: Push, transaction: Executor, body: JsonObject): Promise<boolean> {
  if (isApple(body.deviceType)) return true
  if (vendorOf(body.vendor) !== undefined && textOf(body.registrationId) !== null) return true
  const installationId = textOf(body.installationId)
  if (installationId === null) return false
  // Built-in push channel: the device may have opened its push connection before its record was created.
  const logins = await transaction.query(sql`
    SELECT FROM ${tables.logins} WHERE installation_id = ${installationId}`)
  return logins.length > 0
}

/**
 * Makes a new installation valid if its device opened its push connection while it was being stored, when neither transaction
 * could see the other. Must be called after it is stored.
 */
export async function noticeLogin(push: Push, id: string): Promise<void> {
  await push.database.query(sql`
    UPDATE ${installationTable(push)}
    SET data = jsonb_set(data, '{valid}', 'true')
    WHERE id = ${id}
      AND data->'valid' = 'false'
      AND EXISTS (SELECT FROM ${push.tables.logins} AS login WHERE login.installation_id = ${INSTALLATION_ID})`)
}

/**
 * Makes an installation valid when it gets its first vendor token, because it was invalid only for lack of one. Later tokens do
 * not change this: the device may have opted out.
 */
export function withVendor(body: JsonObject, known: Holder): JsonObject {
  if (Object.hasOwn(body, 'valid') || known.registrationId !== null || textOf(body.registrationId) === null) return body
  return vendorOf(body.vendor ?? known.vendor) === undefined ? body : { ...body, valid: true }
}
