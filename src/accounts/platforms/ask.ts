import { exchange, type HttpRequest } from '../../http-client/exchange.ts'
import { HttpFailure } from '../../http-client/http-failure.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../values/json.ts'
import { unreachable } from './refusals.ts'

/** Bytes of an answer that are read; those of the platforms are far shorter. */
const MAX_ANSWER = 64 * 1024

export interface Answer {
  /** 2xx or 4xx */
  readonly status: number
  readonly text: string
}

/** What is sent; a GET request without a body unless told. */
type Question = Partial<Pick<HttpRequest, 'method' | 'headers' | 'body' | 'reach'>>

/**
 * Asks a platform.
 * @param timeout milliseconds until the whole answer has to be here
 * @throws ApiError 511 when there is no answer in time, it is longer than 64 KB, or its status is neither 2xx nor 4xx
 */
export async function ask(url: URL, timeout: number, question: Question = {}): Promise<Answer> {
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
 * Asks a platform that answers in JSON, refusals included.
 * @throws ApiError 511 as `ask`, or when the answer is no JSON object
 */
export async function askForJson(url: URL, timeout: number, question?: Question): Promise<JsonObject> {
  return objectIn(await ask(url, timeout, question))
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

function parsed(text: string): unknown {
  try {
    return parseJson(text, 'The answer')
  } catch {
    return undefined
  }
}
