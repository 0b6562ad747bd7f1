import type { Executor } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import type { JsonObject } from '../../values/json.ts'
import { isApple, vendorOf } from '../device.ts'
import { installationTable, type Push } from '../push.ts'
import { type Holder, INSTALLATION_ID, textOf } from './installation-identity.ts'

/*
 * Whether a device gets pushes, as long as no client has said so itself (protocol/push, Installation fields: valid).
 */

/** A new installation with what it does not say itself: `valid`, and `badge` for the devices of Apple. */
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
  // The own channel: the device has opened its push connection before it was recorded.
  const logins = await transaction.query(sql`
    SELECT FROM ${tables.logins} WHERE installation_id = ${installationId}`)
  return logins.length > 0
}

/**
 * Makes a new installation valid whose device has opened its push connection while it was being stored: neither could
 * see the other then. To be called when it is stored.
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
 * A device that gets its way over a vendor only now has been invalid because it had none, so it becomes valid. Later
 * tokens change nothing: the device may have opted out.
 */
export function withVendor(body: JsonObject, known: Holder): JsonObject {
  if (Object.hasOwn(body, 'valid') || known.registrationId !== null || textOf(body.registrationId) === null) return body
  return vendorOf(body.vendor ?? known.vendor) === undefined ? body : { ...body, valid: true }
}
