import { withDates } from '../../objects/where/with-dates.ts'
import type { JsonObject } from '../../values/json.ts'
import type { PushRequest } from '../push-request.ts'
import { checkContent } from './parse-content.ts'
import { checkSize, dataIn, expiryIn, fieldsOf, given, idIn, prodIn, textIn, timeIn, wrong } from './parse-fields.ts'
import { channelsIn, cqlIn, deviceTypeIn, whereIn } from './parse-where.ts'

/** Context of a request in addition to its body. */
export interface PushContext {
  /** The environment of APNs when the body names none. */
  readonly prod: 'dev' | 'prod'
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Returns whether a field of installations has the type Date. */
  isDate(field: string): boolean
}

/** Minimum delay of a scheduled push in milliseconds; with less, it is sent immediately (protocol/push, Request). */
const SHORTEST_WAIT = 60_000
/** Minimum devices per second; lower values are raised to this. */
const SLOWEST_FLOW = 1000

/**
 * Parses the body of POST /1.1/push (protocol/push, Request). `checkTarget` checks whether the condition is valid.
 * @throws ApiError 1, 102, 107 or 112, naming the invalid member and the expected value; 300
 */
export function parsePush(body: unknown, { prod, now, isDate }: PushContext): PushRequest {
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
    // Clients send their own time as `push_time`, which can be in the past by the server's clock.
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
