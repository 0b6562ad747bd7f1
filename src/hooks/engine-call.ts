import { emptyAsObject, isJsonObject, type JsonObject, parseJson } from '../values/json.ts'
import { EngineFailure, failureOf } from './engine-failure.ts'

/** Bytes of an answer that are read: as many as engines take the other way (protocol/cloud-code, Bodies). */
const MAX_ANSWER = 20 * 1024 * 1024
/** Bytes of a failure that are read, and characters of one without an `error` that are told. */
const MAX_FAILURE = 1024 * 1024
const MAX_DETAIL = 200

export interface EngineRequest {
  readonly method: 'GET' | 'POST' | 'OPTIONS'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Milliseconds until the whole answer has to be here, connecting included (protocol/cloud-code, Time limits). */
  readonly timeout: number
  /** The connection is closed afterwards; else further calls may use it. */
  readonly closes?: boolean
}

export interface EngineAnswer {
  readonly headers: Headers
  readonly text: string
}

export interface PassedAnswer {
  readonly status: number
  readonly text: string
}

/**
 * Makes one request to an engine, and makes it once: hooks may not be repeated. Redirects are not followed, they would
 * take the keys elsewhere (protocol/cloud-code, Reading the answer).
 * @returns the answer of an engine that answered 200
 * @throws EngineFailure
 */
export async function askEngine(request: EngineRequest): Promise<EngineAnswer> {
  try {
    const response = await send(request)
    return { headers: response.headers, text: await textOf(response) }
  } catch (error) {
    throw failureOf(error)
  }
}

/**
 * Makes one request in the same way, and takes what is answered as it is.
 * @throws EngineFailure when nothing is answered, or too much
 */
export async function passToEngine(request: EngineRequest): Promise<PassedAnswer> {
  try {
    const response = await send(request)
    return { status: response.status, text: await readText(response.body, MAX_ANSWER) }
  } catch (error) {
    throw failureOf(error)
  }
}

function send({ method, url, headers, body, timeout, closes = false }: EngineRequest): Promise<Response> {
  return fetch(url, {
    method,
    headers: closes ? { ...headers, Connection: 'close' } : headers,
    ...(body !== undefined && { body }),
    redirect: 'manual',
    signal: AbortSignal.timeout(timeout),
  })
}

/**
 * The JSON object of an answer, whatever its Content-Type says. PHP writes one without members as `[]`.
 * @throws EngineFailure `garbage`
 */
export function objectIn({ text }: EngineAnswer): JsonObject {
  const value = emptyAsObject(parsed(text))
  if (!isJsonObject(value))
    throw new EngineFailure('garbage', 'The engine answered with something else than a JSON object.')
  return value
}

async function textOf({ status, body }: Response): Promise<string> {
  if (status !== 200) {
    const detail = detailIn(await readText(body, MAX_FAILURE).catch(() => ''))
    throw new EngineFailure('status', `The engine answered with HTTP status ${status}.`, detail)
  }
  return readText(body, MAX_ANSWER)
}

async function readText(body: Response['body'], limit: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.byteLength
    if (length > limit) throw new EngineFailure('garbage', `The engine answered with more than ${limit} bytes.`)
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

/**
 * What a failure says of itself: its `error`, or else its text, shortened (protocol/cloud-code, Reading the answer).
 */
function detailIn(text: string): string | null {
  const value = parsed(text)
  const error = isJsonObject(value) ? value.error : undefined
  const detail = typeof error === 'string' ? error : text.trim().slice(0, MAX_DETAIL)
  return detail === '' ? null : detail
}

/** The value of a JSON text from an engine; undefined where it is none. */
export function parsed(text: string): unknown {
  try {
    return parseJson(text, 'The answer')
  } catch {
    return undefined
  }
}
