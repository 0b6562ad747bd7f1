import { type Sql, sql } from '../../database/sql.ts'
import { noteWrite } from '../../objects/store.ts'
import { INSTALLATION, installationTable, type Push } from '../push.ts'
import { DEVICE_TOKEN, INSTALLATION_ID } from './installation-identity.ts'
import { isChannel } from './installation-rules.ts'

/*
 * The clients of messaging that are logged in on a device: they stand in the channels of its installation, and what they
 * miss is pushed to it (protocol/push, Life of an installation).
 */

/** What the channels of clients begin with whose ids are no channels themselves. */
const ESCAPE = '='

/**
 * The channel of a client: its id. Ids may have any characters (protocol/realtime, session/open as sent), channels may
 * not, and a device that saves its record with a channel that is none would be refused. So other ids are written in
 * Base64; those
 * that begin like such a channel too, so that no two clients have one channel.
 */
export function channelOf(clientId: string): string {
  if (isChannel(clientId) && !clientId.startsWith(ESCAPE)) return clientId
  return ESCAPE + Buffer.from(clientId).toString('base64url')
}

/**
 * A client has logged in on a device: from now on what it misses is pushed there (protocol/realtime, configBitmap, bit
 * 2). Does nothing when that is so already, or when the device is not known.
 * @param deviceId the installation id of the device, or its device token
 */
export async function bindClient(push: Push, clientId: string, deviceId: string): Promise<void> {
  const channel = JSON.stringify([channelOf(clientId)])
  await change(push, deviceId, {
    channels: sql`homeport.op_add_unique(data->'channels', ${channel}::jsonb)`,
    unless: sql`coalesce(data->'channels' @> ${channel}::jsonb, FALSE)`,
  })
}

/** A client has logged out on a device (protocol/realtime, Other session commands). A lost connection is no log-out. */
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
