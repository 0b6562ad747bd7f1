import { number } from '../../database/decode-row.ts'
import { sql } from '../../database/sql.ts'
import { parseFilesUrl } from '../../files-url.ts'
import { exchange } from '../../http-client/exchange.ts'
import type { Examination } from '../examination.ts'
import { type Finding, failure, fine, reasonOf, warning } from '../finding.ts'

const TIMEOUT_MS = 5000
/** Seconds of difference from which on there is a warning, and an error. One-time codes change every 30 s, S3 allows 15 min. */
const NOTICEABLE = 20
const HARMFUL = 300

/** Compares the clock with those of the external database, the S3 server, the search server and `--clock-url`. */
export async function checkClock({ config, database, clockUrl }: Examination): Promise<Finding[]> {
  const urls = [clockUrl, endpointOf(config.filesUrl), config.searchUrl].filter((url) => url !== null)
  const comparisons = [
    // An embedded database reads the same clock.
    ...(database !== null && config.databaseUrl !== null
      ? [compare('the database', () => databaseTime(database))]
      : []),
    ...urls.map((url) => compare(new URL(url).host, () => httpTime(new URL(url).origin))),
  ]
  return comparisons.length === 0 ? [fine('doctorClockUnchecked')] : Promise.all(comparisons)

  async function databaseTime(opened: NonNullable<typeof database>): Promise<number> {
    const [row] = await opened.query(sql`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`)
    return number('now')(row!)
  }
}

function endpointOf(filesUrl: string | null): string | null {
  if (filesUrl === null) return null
  const location = parseFilesUrl(filesUrl)
  return location.kind === 's3' ? (location.endpoint ?? null) : null
}

/** @param read returns milliseconds since the epoch; an HTTP date only has seconds */
async function compare(reference: string, read: () => Promise<number>): Promise<Finding> {
  const began = Date.now()
  try {
    const difference = (began + Date.now()) / 2 - (await read())
    return findingOf(reference, difference)
  } catch (error) {
    return warning('doctorClockUnread', { reference, reason: reasonOf(error) })
  }
}

/** @param difference milliseconds by which this machine is ahead */
function findingOf(reference: string, difference: number): Finding {
  const seconds = Math.round(Math.abs(difference) / 1000)
  if (seconds < NOTICEABLE) return fine('doctorClock', { seconds: String(Math.max(1, seconds)), reference })
  const direction = { code: difference > 0 ? 'doctorClockAhead' : 'doctorClockBehind' }
  const values = { seconds: String(seconds), direction, reference }
  return seconds < HARMFUL ? warning('doctorClockWrong', values) : failure('doctorClockWrong', values)
}

/** @throws Error, HttpFailure */
async function httpTime(url: string): Promise<number> {
  const header = await exchange({ method: 'HEAD', url, timeout: TIMEOUT_MS, reach: 'any' }, async (answer) =>
    // A cache sends the time at which it stored the response.
    answer.header('age') === null ? answer.header('date') : null,
  )
  const time = Date.parse(header ?? '')
  if (Number.isNaN(time)) throw new Error('the response has no Date')
  // The middle of the second that it names.
  return time + 500
}
