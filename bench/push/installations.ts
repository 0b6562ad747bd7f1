import type { ProviderName } from './options.ts'
import { type AppDatabase, callServer } from './server.ts'

/** One in so many installations is in a channel, and has a word in its city. */
const GROUPS = 1000
const CHUNK = 100_000

/** Fills `_Installation` with devices of a provider. A client saves the first one, which defines the fields. */
export async function fillInstallations(
  url: string,
  { query, table }: AppDatabase,
  provider: ProviderName,
  devices: number,
): Promise<void> {
  const example = { installationId: 'example', deviceType: 'android', vendor: 'HMS', registrationId: 'example' }
  const fields = { deviceToken: 'ab'.repeat(32), level: 1, city: 'x', timeZone: 'Asia/Shanghai', channels: ['all'] }
  await callServer(url, '/1.1/installations', { ...example, ...fields })
  await query(`DELETE FROM ${table('_Installation')}`)
  const identity =
    provider === 'apns'
      ? `'deviceType', 'ios', 'deviceToken', lpad(to_hex(n), 64, '0'), 'badge', 0, 'apnsTopic', 'org.example.app'`
      : `'deviceType', 'android', 'vendor', 'HMS', 'installationId', md5('device ' || n),
         'registrationId', 'registration-' || md5('token ' || n) || '-' || n`
  for (let from = 1; from <= devices; from += CHUNK) {
    process.stderr.write(`filling: ${from - 1} of ${devices} installations\n`)
    // Ids in the server's format: seconds, the node, a counter.
    await query(
      `INSERT INTO ${table('_Installation')} (id, created_at, updated_at, data)
       SELECT
         lpad(to_hex(1760000000 + n / 10), 8, '0') || '0123456789' || lpad(to_hex(n), 6, '0'),
         now() - interval '30 days',
         now() - n % 80 * interval '1 day',
         jsonb_build_object(
           ${identity},
           'valid', true,
           'channels', jsonb_build_array('all', 'group' || n % $3::integer),
           'level', n % 100,
           'city', 'Stadt am Fluss ' || n % $3::integer || ' Ost',
           'timeZone', 'Asia/Shanghai')
       FROM generate_series($1::integer, $2::integer) AS n`,
      [from, Math.min(from + CHUNK - 1, devices), GROUPS],
    )
  }
  await query(`VACUUM ANALYZE ${table('_Installation')}`)
}
