import { exchange, type HttpRequest } from '../../http-client/exchange.ts'
import { HttpFailure } from '../../http-client/http-failure.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../values/json.ts'
import { unreachable } from './refusals.ts'

/** Maximum size of a platform's response in bytes; real responses are far shorter. */
const MAX_ANSWER = 64 * 1024

export interface Answer {
  /** 2xx or 4xx */
  readonly status: number
  readonly text: string
}

/** The request; by default a GET without a body. */
type Question = Partial<Pick<HttpRequest, 'method' | 'headers' | 'body' | 'reach'>>

/**
 * Sends a request to a platform.
 * @param timeout milliseconds within which the complete response must arrive
 * @throws ApiError 511 when the response is late, longer than 64 KB, or has a status other than 2xx and 4xx
 */
export async function requestPlatform(url: URL, timeout: number, question: Question = {}): Promise<Answer> {
  try {
    return await exchange({ method: 'GET', reach: 'any', ...question, url, timeout }, async (answer) => {
      const { status } = answer
      if (status < 200 || (status >= 300 && status < 400) || status >= 500) throw unreachable(`status ${status}`)
      return { status, text: await answer.text(MAX_ANSWER) }
    })
  } catch (error) {
    throw error instanceof HttpFailure ? unreachable(error.reason) : error
  }
}

/**
 * Sends a request to a platform that responds with JSON, errors included.
 * @throws ApiError 511 as `requestPlatform`, or when the response is not a JSON object
 */
export async function requestPlatformJson(url: URL, timeout: number, question?: Question): Promise<JsonObject> {
  return objectIn(await requestPlatform(url, timeout, question))
}

/** @throws ApiError 511 when the response is not a JSON object */
export function objectIn(answer: Answer): JsonObject {
  const value = parsed(answer.text)
  if (!isJsonObject(value)) throw unreachable(`status ${answer.status}, and the body is not a JSON object`)
  return value
}

/** Returns a URL with parameters added to its own. */
export function withQuery(url: string, parameters: Readonly<Record<string, string>>): URL {
  const complete = new URL(url)
  for (const [name, value] of Object.entries(parameters)) complete.searchParams.set(name, value)
  return complete
}

function parsed(text: string): unknown {
  try {
    return parseJson(text, 'The answer')
  } catch {
    return undefined
  }
}
