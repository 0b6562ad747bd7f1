import { isJsonObject, type JsonObject, parseJson } from '../values/json.ts'
import { EngineFailure, failureOf } from './engine-failure.ts'

/** Bytes of an answer that are read: as many as engines take the other way (spec/hooks, 3.3). */
const MAX_ANSWER = 20 * 1024 * 1024

export interface EngineRequest {
  readonly method: 'GET' | 'POST' | 'OPTIONS'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Milliseconds until the whole answer has to be here, connecting included (spec/hooks, 3.5). */
  readonly timeout: number
}

export interface EngineAnswer {
  readonly headers: Headers
  readonly text: string
}

/**
 * Makes one request to an engine, and makes it once: hooks may not be repeated. Redirects are not followed, they would
 * take the keys elsewhere (spec/hooks, 3.4).
 * @returns the answer of an engine that answered 200
 * @throws EngineFailure
 */
export async function askEngine({ method, url, headers, body, timeout }: EngineRequest): Promise<EngineAnswer> {
  try {
    const response = await fetch(url, {
      method,
      headers,
      ...(body !== undefined && { body }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeout),
    })
    return { headers: response.headers, text: await textOf(response) }
  } catch (error) {
    throw failureOf(error)
  }
}

/** The JSON object of an answer, whatever its Content-Type says. @throws EngineFailure `garbage` */
export function objectIn({ text }: EngineAnswer): JsonObject {
  const value = parsed(text)
  if (!isJsonObject(value))
    throw new EngineFailure('garbage', 'The engine answered with something else than a JSON object.')
  return value
}

async function textOf({ status, body }: Response): Promise<string> {
  if (status !== 200) {
    await body?.cancel()
    throw new EngineFailure('status', `The engine answered with HTTP status ${status}.`)
  }
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.byteLength
    if (length > MAX_ANSWER)
      throw new EngineFailure('garbage', `The engine answered with more than ${MAX_ANSWER} bytes.`)
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

function parsed(text: string): unknown {
  try {
    return parseJson(text, 'The answer')
  } catch {
    return undefined
  }
}
