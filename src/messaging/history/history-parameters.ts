import { errors } from '../../errors.ts'
import { isSet, type Parameters } from '../../objects/query-parameters.ts'
import { type Json, numberOf } from '../../values/json.ts'
import type { HistoryQuery, HistorySource, Position } from '../messages/history.ts'

/** protocol/messaging, History query */
const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1000

/**
 * Parses the parameters of a history request over REST (protocol/messaging, History query).
 * @throws ApiError 1 when a message is named without its time, or a value is invalid
 */
export function historyQueryOf(parameters: Parameters, source: HistorySource): HistoryQuery {
  const start = positionOf(parameters, 'msgid', 'timestamp', 'include_start')
  const end = positionOf(parameters, 'till_msgid', 'till_timestamp', 'include_stop')
  return {
    source,
    // The defaults, the present and the beginning of time, exclude nothing.
    from: start,
    to: end,
    ascending: isSet(parameters.reversed),
    limit: limitOf(parameters.limit),
    type: null,
  }
}

function positionOf(parameters: Parameters, idName: string, timeName: string, includeName: string): Position | null {
  const [id, time] = [parameters[idName], parameters[timeName]]
  if (isAbsent(time)) {
    if (isAbsent(id)) return null
    throw errors.badArgument(`'${idName}' requires '${timeName}', the time of that message.`)
  }
  const ts = numberOf(time)
  if (!Number.isSafeInteger(ts) || ts < 0) throw errors.badArgument(`'${timeName}' must be a time in milliseconds.`)
  if (typeof id !== 'string' && !isAbsent(id))
    throw errors.badArgument(`'${idName}' must be the id of a message, a string.`)
  return { ts, id: typeof id === 'string' && id !== '' ? id : null, included: isSet(parameters[includeName]) }
}

function limitOf(value: Json | undefined): number {
  if (isAbsent(value)) return DEFAULT_LIMIT
  const limit = numberOf(value)
  return Number.isInteger(limit) && limit >= 1 ? Math.min(limit, MAX_LIMIT) : DEFAULT_LIMIT
}

function isAbsent(value: Json | undefined): boolean {
  return value === undefined || value === null || value === ''
}
