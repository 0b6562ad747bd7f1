import { notSent } from './refusal.ts'

/** How requests to providers are made. */
export interface CallOptions {
  readonly now: () => Date
  /** Milliseconds until the whole answer must be here. */
  readonly timeout: number
}

export interface ProviderRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface ProviderAnswer {
  readonly status: number
  /** The JSON of the body; undefined when it is none. */
  readonly content: unknown
}

/** Makes a POST request. @throws ApiError 602 when the provider cannot be reached or takes too long */
export async function postForJson(request: ProviderRequest, timeout: number): Promise<ProviderAnswer> {
  const [status, body] = await post(request, timeout, (response) => response.text())
  return { status, content: parsed(body) }
}

/** The same where only the status counts. */
export async function postForStatus(request: ProviderRequest, timeout: number): Promise<number> {
  const [status] = await post(request, timeout, async (response) => response.body?.cancel())
  return status
}

async function post<Body>(
  { url, headers, body }: ProviderRequest,
  timeout: number,
  read: (response: Response) => Promise<Body>,
): Promise<[status: number, body: Body]> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      ...(body !== undefined && { body }),
      // A signed request is for the one it was signed for.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeout),
    })
    return [response.status, await read(response)]
  } catch (error) {
    throw notSent(reason(error))
  }
}

/** Of an error of the connection only its code is told, such as ECONNREFUSED: its text may hold the request. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return 'The provider cannot be reached.'
  if (error.name === 'TimeoutError') return 'The provider did not answer in time.'
  const { cause } = error
  const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
  return `The provider cannot be reached${code}.`
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
