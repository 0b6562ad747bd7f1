import { withDates } from '../../objects/where/with-dates.ts'
import type { JsonObject } from '../../values/json.ts'
import type { PushRequest } from '../push-request.ts'
import { checkContent } from './parse-content.ts'
import { checkSize, dataIn, expiryIn, fieldsOf, given, idIn, prodIn, textIn, timeIn, wrong } from './parse-fields.ts'
import { channelsIn, cqlIn, deviceTypeIn, whereIn } from './parse-where.ts'

/** What a request says besides its body. */
export interface PushCircumstances {
  /** The environment of APNs where the body names none. */
  readonly prod: 'dev' | 'prod'
  /** milliseconds since the epoch */
  readonly now: number
  /** Whether a field of installations holds Dates. */
  isDate(field: string): boolean
}

/** A push that is to wait for less is sent at once, in milliseconds (protocol/push, Request). */
const SHORTEST_WAIT = 60_000
/** Recipients a second: lower values count as this. */
const SLOWEST_FLOW = 1000

/**
 * Reads the body of POST /1.1/push (protocol/push, Request). Whether the condition can be met is for `checkTarget` to
 * say.
 * @throws ApiError 1, 102, 107 or 112, with the member that is wrong and what would be right; 300
 */
export function parsePush(body: unknown, { prod, now, isDate }: PushCircumstances): PushRequest {
  const fields = fieldsOf(body)
  const data = dataIn(fields, '_notificationChannel')
  checkSize(fields, 'A push')
  const where = cqlIn(fields) ?? whereIn(fields)
  checkContent(data, deviceTypeIn(where))
  const time = timeIn(fields, 'push_time')
  return {
    data,
    target: { kind: 'where', where: withDates(where, isDate), channels: channelsIn(fields) },
    pushAt: time !== null && time >= now + SHORTEST_WAIT ? time : null,
    // Clients send their own time as `push_time`, which may be long ago by our clock.
    expiresAt: expiryIn(fields, Math.max(time ?? now, now)),
    notificationId: idIn(fields, 'notification_id'),
    reqId: idIn(fields, 'req_id'),
    prod: prodIn(fields, prod),
    topic: textIn(fields, 'topic'),
    teamId: textIn(fields, 'apns_team_id'),
    flowControl: flowIn(fields),
  }
}

function flowIn(fields: JsonObject): number | null {
  const value = given(fields, 'flow_control')
  if (value === undefined) return null
  if (typeof value !== 'number') throw wrong('flow_control', 'a number of devices a second', value)
  return Math.max(value, SLOWEST_FLOW)
}
