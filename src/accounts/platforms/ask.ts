import { ApiError } from '../../errors.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../values/json.ts'
import { unreachable } from './refusals.ts'

/** Bytes of an answer that are read; those of the platforms are far shorter. */
const MAX_ANSWER = 64 * 1024

export interface Answer {
  /** 2xx or 4xx */
  readonly status: number
  readonly text: string
}

/**
 * Asks a platform. Redirects are not followed: they would take the token to somebody else.
 * @param timeout milliseconds until the whole answer has to be here
 * @throws ApiError 511 when there is no answer in time, it is longer than 64 KB, or its status is neither 2xx nor 4xx
 */
export async function ask(url: URL, timeout: number, request: RequestInit = {}): Promise<Answer> {
  try {
    const signal = AbortSignal.timeout(timeout)
    const response = await fetch(url, { ...request, redirect: 'manual', signal })
    return { status: response.status, text: await textOf(response) }
  } catch (error) {
    throw error instanceof ApiError ? error : unreachable(reasonOf(error))
  }
}

/**
 * Asks a platform that answers in JSON, refusals included.
 * @throws ApiError 511 as `ask`, or when the answer is no JSON object
 */
export async function askForJson(url: URL, timeout: number, request?: RequestInit): Promise<JsonObject> {
  return objectIn(await ask(url, timeout, request))
}

/** @throws ApiError 511 when the answer is no JSON object */
export function objectIn(answer: Answer): JsonObject {
  const value = parsed(answer.text)
  if (!isJsonObject(value)) throw unreachable(`status ${answer.status}, and no JSON object`)
  return value
}

/** A URL with parameters beside those that it has. */
export function withQuery(url: string, parameters: Readonly<Record<string, string>>): URL {
  const complete = new URL(url)
  for (const [name, value] of Object.entries(parameters)) complete.searchParams.set(name, value)
  return complete
}

async function textOf(response: Response): Promise<string> {
  const { body, ok, status } = response
  if (!ok && !(status >= 400 && status < 500)) {
    await body?.cancel()
    throw unreachable(`status ${status}`)
  }
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.byteLength
    if (length > MAX_ANSWER) throw unreachable(`more than ${MAX_ANSWER} bytes`)
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

/** Names alone: the texts of such errors may show the URL, and with it the token. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const { cause } = error
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.name
}
