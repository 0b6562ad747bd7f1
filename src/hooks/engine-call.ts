import { exchange, type HttpAnswer } from '../http-client/exchange.ts'
import { HttpFailure } from '../http-client/http-failure.ts'
import { emptyAsObject, isJsonObject, type JsonObject, parseJson } from '../values/json.ts'
import { EngineFailure, failureOf } from './engine-failure.ts'

/** Maximum size of a response, in bytes: the same as for requests of engines (protocol/cloud-code, Bodies). */
const MAX_ANSWER = 20 * 1024 * 1024
/** Maximum size of a failure, in bytes, and maximum length of one without an `error` that is passed on, in characters. */
const MAX_FAILURE = 1024 * 1024
const MAX_DETAIL = 200

export interface EngineRequest {
  readonly method: 'GET' | 'POST' | 'OPTIONS'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Time limit for the whole response, in milliseconds, including connecting (protocol/cloud-code, Time limits). */
  readonly timeout: number
  /** Whether the connection is closed afterwards instead of being reused. */
  readonly closes?: boolean
}

export interface EngineAnswer {
  readonly header: HttpAnswer['header']
  readonly text: string
}

export interface PassedAnswer {
  readonly status: number
  readonly text: string
}

/**
 * Sends one request to an engine, without retries: hooks must not be repeated. Redirects are failures (protocol/cloud-code,
 * Reading the answer).
 * @returns the response of an engine with status 200
 * @throws EngineFailure
 */
export function callEngine(request: EngineRequest): Promise<EngineAnswer> {
  return send(request, async (answer) => ({ header: answer.header, text: await textOf(answer) }))
}

/**
 * Sends one request in the same way, and returns the response whatever its status.
 * @throws EngineFailure when there is no response, or it is too long
 */
export function passToEngine(request: EngineRequest): Promise<PassedAnswer> {
  return send(request, async (answer) => ({ status: answer.status, text: await answer.text(MAX_ANSWER) }))
}

async function send<Result>(
  { headers, closes = false, ...request }: EngineRequest,
  use: (answer: HttpAnswer) => Promise<Result>,
): Promise<Result> {
  try {
    return await exchange(
      { ...request, reach: 'engine', headers: closes ? { ...headers, Connection: 'close' } : headers },
      use,
    )
  } catch (error) {
    throw error instanceof HttpFailure ? failureOf(error) : error
  }
}

/**
 * Returns the JSON object of a response, whatever its Content-Type. PHP writes an object without members as `[]`.
 * @throws EngineFailure `garbage`, `unreadable`
 */
export function objectIn({ text }: EngineAnswer): JsonObject {
  const value = text.trim() === '' ? undefined : emptyAsObject(readable(text))
  if (!isJsonObject(value)) throw new EngineFailure('garbage', 'The response of the engine must be a JSON object.')
  return value
}

/** Parses the text of a response. @throws EngineFailure `unreadable` */
function readable(text: string): unknown {
  try {
    return parseJson(text, 'The response')
  } catch (error) {
    throw new EngineFailure(
      'unreadable',
      `The response of the engine cannot be parsed: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

async function textOf(answer: HttpAnswer): Promise<string> {
  const { status } = answer
  if (status !== 200) {
    const detail = detailIn(await answer.text(MAX_FAILURE).catch(() => ''))
    throw new EngineFailure('status', `The engine returned HTTP status ${status}.`, detail)
  }
  return answer.text(MAX_ANSWER)
}

/** Returns the details of a failure: its `error`, or else its text, shortened (protocol/cloud-code, Reading the answer). */
function detailIn(text: string): string | null {
  const value = parsed(text)
  const error = isJsonObject(value) ? value.error : undefined
  const detail = typeof error === 'string' ? error : text.trim().slice(0, MAX_DETAIL)
  return detail === '' ? null : detail
}

/** Returns the value of a JSON text from an engine; undefined for invalid JSON. */
export function parsed(text: string): unknown {
  try {
    return parseJson(text, 'The response')
  } catch {
    return undefined
  }
}
