import { type Sql, sql } from '../../database/sql.ts'
import { noteWrite } from '../../objects/store.ts'
import { INSTALLATION, installationTable, type Push } from '../push.ts'
import { DEVICE_TOKEN, INSTALLATION_ID } from './installation-identity.ts'
import { isChannel } from './installation-rules.ts'

/*
 * Channels of an installation for the messaging clients that are logged in on its device: messages that they miss are pushed to
 * it (protocol/push, Life of an installation).
 */

/** Prefix of encoded client ids, which are not valid channels themselves. */
const ESCAPE = '='

/**
 * Returns the channel of a client: its id. Client ids can have any characters (protocol/realtime, session/open as sent), channels
 * cannot, and saving an installation with an invalid channel would fail. So other ids are encoded in Base64. Ids that start with
 * the prefix are encoded too, so that no two clients share a channel.
 */
export function channelOf(clientId: string): string {
  if (isChannel(clientId) && !clientId.startsWith(ESCAPE)) return clientId
  return ESCAPE + Buffer.from(clientId).toString('base64url')
}

/**
 * Subscribes a device to the pushes for a client that has logged in on it (protocol/realtime, configBitmap, bit 2). Does nothing
 * when it is already subscribed or unknown.
 * @param deviceId installation id or device token
 */
export async function bindClient(push: Push, clientId: string, deviceId: string): Promise<void> {
  const channel = JSON.stringify([channelOf(clientId)])
  await change(push, deviceId, {
    channels: sql`homeport.op_add_unique(data->'channels', ${channel}::jsonb)`,
    unless: sql`coalesce(data->'channels' @> ${channel}::jsonb, FALSE)`,
  })
}

/**
 * Unsubscribes a device from a client that has logged out on it (protocol/realtime, Other session commands). A lost connection
 * does not count as a logout.
 */
export async function unbindClient(push: Push, clientId: string, deviceId: string): Promise<void> {
  const channel = JSON.stringify([channelOf(clientId)])
  await change(push, deviceId, {
    channels: sql`homeport.op_remove(data->'channels', ${channel}::jsonb)`,
    unless: sql`NOT coalesce(data->'channels' @> ${channel}::jsonb, FALSE)`,
  })
}

interface ChannelChange {
  readonly channels: Sql
  readonly unless: Sql
}

async function change(push: Push, deviceId: string, { channels, unless }: ChannelChange): Promise<void> {
  const changed = await push.database.query(sql`
    UPDATE ${installationTable(push)}
    SET data = jsonb_set(data, '{channels}', ${channels}), updated_at = now()
    WHERE (${INSTALLATION_ID} = ${deviceId}::text OR ${DEVICE_TOKEN} = ${deviceId}::text)
      AND NOT (${unless})
    RETURNING id`)
  if (changed.length > 0) noteWrite(push.objects, INSTALLATION)
}
