/** What the server answered instead of what was asked for. */
export class Problem extends Error {
  override readonly name = 'Problem'

  /** Of HTTP; 0: no answer came */
  readonly status: number
  /** Of the contract; null where the answer had none */
  readonly code: number | null

  constructor(status: number, code: number | null, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface RequestOptions {
  readonly body?: unknown
  /** Members that are undefined are left out; what is no text is sent as JSON. */
  readonly query?: { readonly [name: string]: unknown }
  /** Of a request that only reads; it has a time limit then. */
  readonly signal?: AbortSignal | undefined
}

/** Longer than any query takes on the server. */
const READ_TIMEOUT_MS = 30_000

let csrfToken: string | null = null

/** @param token what the session's changes must show, as `GET /admin/me` and the logins answer it */
export function keepCsrfToken(token: string | null): void {
  csrfToken = token
}

/** Headers of a request that changes something, for requests that are not made by `request`. */
export function csrfHeaders(): Record<string, string> {
  return csrfToken === null ? {} : { 'x-csrf-token': csrfToken }
}

/**
 * Calls the management API with the session of the browser.
 * @param path with its leading slash; its variable parts are encoded already (`path`)
 * @throws Problem
 */
export async function request<T>(method: Method, path: string, options: RequestOptions = {}): Promise<T> {
  const { body, query = {}, signal } = options
  const headers: Record<string, string> = { 'x-requested-with': 'fetch', ...csrfHeaders() }
  if (body !== undefined) headers['content-type'] = 'application/json'
  // What is only read can be asked for again; a change may take longer.
  const limit = signal && AbortSignal.any([signal, AbortSignal.timeout(READ_TIMEOUT_MS)])
  let response: Response
  let text: string
  try {
    response = await fetch(path + queryString(query), {
      method,
      headers,
      credentials: 'same-origin',
      body: body === undefined ? null : JSON.stringify(body),
      signal: limit ?? null,
    })
    text = await response.text()
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Problem(0, null, String((error as Error).message))
  }
  if (!response.ok) throw problemOf(response.status, text)
  return (text === '' ? {} : JSON.parse(text)) as T
}

/**
 * Lets the browser download what is at a path. A link would not do: what users store could lead there too, so the server wants
 * a ticket.
 * @throws Problem
 */
export async function download(path: string, query: { readonly [name: string]: unknown } = {}): Promise<void> {
  const { ticket } = await request<{ ticket: string }>('POST', '/admin/me/download-tickets', { body: { path } })
  const link = document.createElement('a')
  link.href = path + queryString({ ...query, ticket })
  link.download = ''
  link.click()
}

/**
 * Returns a path whose variable parts are encoded: path`/admin/apps/${appId}`.
 * @throws Problem for a part that no path can have (`segment`)
 */
export function path(texts: TemplateStringsArray, ...parts: readonly string[]): string {
  return texts.reduce((whole, text, n) => whole + segment(parts[n - 1] ?? '') + text)
}

/**
 * Encodes a text as one part of a path. Browsers resolve `.` and `..`, also encoded ones, and the server ignores an empty part at
 * the end: a request for a client with such an id would reach what is above it, and delete a conversation instead.
 * @throws Problem for these three
 */
export function segment(text: string): string {
  if (text === '' || text === '.' || text === '..')
    throw new Problem(400, null, `'${text}' cannot be part of a URL, so the console cannot call the API for it.`)
  return encodeURIComponent(text)
}

export function queryString(query: { readonly [name: string]: unknown }): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    parameters.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  return parameters.size === 0 ? '' : `?${parameters}`
}

function problemOf(status: number, text: string): Problem {
  try {
    const { code, error } = JSON.parse(text) as { code?: unknown; error?: unknown }
    return new Problem(status, typeof code === 'number' ? code : null, typeof error === 'string' ? error : text)
  } catch {
    return new Problem(status, null, text.slice(0, 300))
  }
}
