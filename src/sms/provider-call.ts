import { exchange, type HttpAnswer } from '../http-client/exchange.ts'
import { HttpFailure } from '../http-client/http-failure.ts'
import { PRIVATE_ADDRESS } from '../http-client/reachable-address.ts'
import { notSent } from './refusal.ts'

/** Maximum size of a response in bytes; those of the providers are far shorter. */
const MAX_ANSWER = 64 * 1024

/** Options of requests to providers. */
export interface CallOptions {
  readonly now: () => Date
  /** Milliseconds within which the complete response must arrive. */
  readonly timeout: number
}

export interface ProviderRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface ProviderAnswer {
  readonly status: number
  /** The parsed JSON of the body; undefined when it is not JSON. */
  readonly content: unknown
}

/**
 * Sends a POST request.
 * @throws ApiError 602 when the provider is unreachable, too slow, or its response too long
 */
export function postForJson(request: ProviderRequest, timeout: number): Promise<ProviderAnswer> {
  return post(request, timeout, async (answer) => ({
    status: answer.status,
    content: parsed(await answer.text(MAX_ANSWER)),
  }))
}

/** Sends a POST request of which only the status matters. */
export function postForStatus(request: ProviderRequest, timeout: number): Promise<number> {
  return post(request, timeout, async ({ status }) => status)
}

async function post<Result>(
  { url, headers, body }: ProviderRequest,
  timeout: number,
  use: (answer: HttpAnswer) => Promise<Result>,
): Promise<Result> {
  try {
    return await exchange({ method: 'POST', url, headers, body, timeout, reach: 'app' }, use)
  } catch (error) {
    throw error instanceof HttpFailure ? notSent(explanation(error)) : error
  }
}

function explanation({ kind, reason }: HttpFailure): string {
  switch (kind) {
    case 'timeout':
      return 'The provider did not respond in time.'
    case 'too-long':
      return `The provider returned more than ${MAX_ANSWER} bytes.`
    case 'unreachable':
      return `The provider cannot be reached (${reason}).`
    case 'private':
      return `The provider cannot be reached: ${PRIVATE_ADDRESS}.`
    case 'stopped':
    case 'unusable':
      return 'The provider cannot be reached.'
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
