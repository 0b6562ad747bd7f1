import { number, rowDecoder, text } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import type { TextMessage } from '../../sms/sms.ts'
import type { Accounts } from '../accounts.ts'

/** The properties of a message that the limits distinguish. */
export type MessageSort = Pick<TextMessage, 'kind' | 'channel'>

export interface SentMessage extends MessageSort {
  /** Time since it was sent, in milliseconds. */
  readonly age: number
}

interface SmsLimit {
  /** The rule as error texts state it. */
  readonly rule: string
  readonly max: number
  /** In milliseconds. */
  readonly within: number
  readonly covers: (message: MessageSort) => boolean
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const isCode = ({ kind }: MessageSort) => kind === 'code'
const isNotice = ({ kind }: MessageSort) => kind === 'notice'
const isCall = ({ channel }: MessageSort) => channel === 'voice'

/** protocol/accounts, SMS. The rule of one call in 30 seconds is left out, because one message a minute is stricter. */
const LIMITS: readonly SmsLimit[] = [
  { rule: 'one message a minute', max: 1, within: MINUTE, covers: () => true },
  { rule: '10 codes in 24 hours', max: 10, within: DAY, covers: isCode },
  { rule: '15 notices in 24 hours', max: 15, within: DAY, covers: isNotice },
  { rule: '3 calls an hour', max: 3, within: HOUR, covers: isCall },
  { rule: '5 calls in 24 hours', max: 5, within: DAY, covers: isCall },
]

/**
 * Checks whether a number that was sent these messages may receive another one.
 * @throws ApiError 1 less than 10 seconds after the last, 601 when there have been too many
 */
export function checkLimits(message: MessageSort, sent: readonly SentMessage[]): void {
  if (sent.some(({ age }) => age < 10 * SECOND)) throw errors.badArgument('SMS request too fast(1 request per 10s).')
  for (const { rule, max, within, covers } of LIMITS) {
    if (!covers(message)) continue
    const recent = sent.filter((earlier) => covers(earlier) && earlier.age < within)
    if (recent.length >= max) throw errors.smsTooOften(`The limit for a phone number is ${rule}.`)
  }
}

/**
 * Counts a message before it is sent. Locks the number until the transaction ends, so that the limits hold across all
 * nodes and concurrent requests. The limits also apply to numbers for tests, and to messages that no provider accepted.
 * @throws ApiError 1, 601
 */
export async function countMessage(
  accounts: Accounts,
  transaction: Executor,
  number: string,
  message: MessageSort,
): Promise<void> {
  const { appId, smsSent } = accounts
  await transaction.query(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`sms ${appId} ${number}`}, 0))`)
  const rows = await transaction.query(sql`
    SELECT kind, channel, (extract(epoch FROM clock_timestamp() - sent_at) * 1000)::bigint AS age
    FROM ${smsSent}
    WHERE phone = ${number} AND sent_at > clock_timestamp() - interval '24 hours'`)
  checkLimits(message, rows.map(decodeSent))
  await transaction.query(sql`
    WITH old AS (
      SELECT id
      FROM ${smsSent}
      WHERE sent_at < now() - interval '24 hours'
      LIMIT 10
      FOR UPDATE SKIP LOCKED
    ), removed AS (
      DELETE FROM ${smsSent} AS sent USING old WHERE sent.id = old.id
    )
    INSERT INTO ${smsSent} (phone, kind, channel, sent_at)
    VALUES (${number}, ${message.kind}, ${message.channel}, clock_timestamp())`)
}

const decodeSent = rowDecoder({
  kind: text('kind', (kind) => kind as MessageSort['kind']),
  channel: text('channel', (channel) => channel as MessageSort['channel']),
  age: number('age'),
})
