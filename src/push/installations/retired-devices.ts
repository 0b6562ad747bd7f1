import { text } from '../../database/decode-row.ts'
import { raw, sql } from '../../database/sql.ts'
import { noteWrite } from '../../objects/store.ts'
import type { Device } from '../device.ts'
import type { Channel } from '../providers/all.ts'
import type { Outcome } from '../providers/provider.ts'
import { INSTALLATION, installationTable, type Push } from '../push.ts'
import { INSTALLATION_ID } from './installation-identity.ts'

/** With fewer devices than this, all of them may really be gone. */
const FEW = 20

/**
 * Returns whether a vendor reports so many devices of a chunk as gone that the credentials are probably those of another app, to
 * which it knows none of them. APNs is excluded: the protocol trusts its reports, and it distinguishes the two cases.
 */
export function areTooManyUnregistered(channel: Channel, outcomes: readonly Outcome[]): boolean {
  if (channel === 'apns' || outcomes.length < FEW) return false
  return outcomes.filter(({ kind }) => kind === 'gone').length > outcomes.length / 2
}

/** Returns the tokens that APNs has declared invalid. */
export async function deadAmong({ database, tables }: Push, tokens: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await database.query(sql`SELECT token FROM ${tables.deadTokens} WHERE token = ANY(${tokens}::text[])`)
  return new Set(rows.map(text('token')))
}

/** Retires devices whose tokens a provider has declared invalid, unless they have a new token by now. */
export async function retire(push: Push, channel: Channel, devices: readonly Device[]): Promise<void> {
  if (channel === 'apns') await remove(push, devices)
  else await disconnect(push, devices)
  noteWrite(push.objects, INSTALLATION)
}

/** Deletes the installations and remembers their tokens (protocol/push, Life of an installation: APNs). */
async function remove(push: Push, devices: readonly Device[]): Promise<void> {
  const tokens = devices.map(({ token }) => token)
  await push.database.query(sql`
    INSERT INTO ${push.tables.deadTokens} (token, noted_at)
    SELECT token, now() FROM unnest(${tokens}::text[]) AS token
    ON CONFLICT (token) DO UPDATE SET noted_at = excluded.noted_at`)
  await push.database.query(sql`
    DELETE FROM ${installationTable(push)} AS installation
    USING unnest(${devices.map(({ id }) => id)}::text[], ${tokens}::text[]) AS dead (id, token)
    WHERE ${isSame(devices)} AND installation.data->>'deviceToken' = dead.token`)
}

/**
 * Removes the vendor tokens of devices and keeps the rest: the protocol deletes installations only for APNs, and the app can use
 * the built-in push channel. An installation that never opened that channel becomes invalid until it gets a new token, like one
 * that never had a token (protocol/push, Installation fields: valid).
 */
async function disconnect(push: Push, devices: readonly Device[]): Promise<void> {
  const tokens = devices.map(({ token }) => token)
  await push.database.query(sql`
    UPDATE ${installationTable(push)} AS installation
    SET data = CASE
          WHEN EXISTS (SELECT FROM ${push.tables.logins} AS login WHERE login.installation_id = ${INSTALLATION_ID})
          THEN data - 'registrationId'
          ELSE data - 'registrationId' || '{"valid": false}'
        END
    FROM unnest(${devices.map(({ id }) => id)}::text[], ${tokens}::text[]) AS dead (id, token)
    WHERE ${isSame(devices)} AND installation.data->>'registrationId' = dead.token`)
}

/** Returns the condition that matches installations to devices. Devices that a push named by token have the token as id. */
function isSame(devices: readonly Device[]) {
  return devices.every(({ id, token }) => id === token) ? raw('TRUE') : raw('installation.id = dead.id')
}
