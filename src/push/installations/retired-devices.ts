import { text } from '../../database/decode-row.ts'
import { raw, sql } from '../../database/sql.ts'
import { noteWrite } from '../../objects/store.ts'
import type { Device } from '../device.ts'
import type { Channel } from '../providers/all.ts'
import type { Outcome } from '../providers/provider.ts'
import { INSTALLATION, installationTable, type Push } from '../push.ts'
import { INSTALLATION_ID } from './installation-identity.ts'

/** Fewer devices than these may well be gone all at once. */
const FEW = 20

/**
 * Whether a vendor declares so many devices of a chunk gone that it is more likely asked with the credentials of
 * another app, to which it knows none of them. Of APNs the spec says that its word counts, and it tells the two apart.
 */
export function areTooManyGone(channel: Channel, outcomes: readonly Outcome[]): boolean {
  if (channel === 'apns' || outcomes.length < FEW) return false
  return outcomes.filter(({ kind }) => kind === 'gone').length > outcomes.length / 2
}

/** Which of these tokens APNs has declared dead. */
export async function deadAmong({ database, tables }: Push, tokens: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await database.query(sql`SELECT token FROM ${tables.deadTokens} WHERE token = ANY(${tokens}::text[])`)
  return new Set(rows.map(text('token')))
}

/** Retires devices whose tokens a provider has declared dead, unless they have another one by now. */
export async function retire(push: Push, channel: Channel, devices: readonly Device[]): Promise<void> {
  if (channel === 'apns') await remove(push, devices)
  else await disconnect(push, devices)
  noteWrite(push.objects, INSTALLATION)
}

/** Their installations are deleted, and the tokens are remembered (protocol/push, Life of an installation: APNs). */
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
 * They lose their way over the vendor and keep all else: the spec has installations deleted only for APNs, and the app
 * goes on over the own channel. One that has never opened that is invalid until it brings a new token, as one that never
 * had any (protocol/push, Installation fields: valid).
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

/** Devices that were named by their tokens have these for ids. */
function isSame(devices: readonly Device[]) {
  return devices.every(({ id, token }) => id === token) ? raw('TRUE') : raw('installation.id = dead.id')
}
