import type { Answers, Bodies } from './answers.ts'

/** An error response of the server. */
export class Problem extends Error {
  override readonly name = 'Problem'

  /** The HTTP status; 0 without a response */
  readonly status: number
  /** The error code of the API; null without one */
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
  /** Undefined members are omitted; values other than strings are sent as JSON. */
  readonly query?: { readonly [name: string]: unknown }
  /** The signal of a read-only request, which also gets a timeout. */
  readonly signal?: AbortSignal | undefined
}

/** Longer than any query takes on the server. */
const READ_TIMEOUT_MS = 30_000

let csrfToken: string | null = null

/** @param token the CSRF token of the session, as returned by `GET /admin/me` and the logins */
export function keepCsrfToken(token: string | null): void {
  csrfToken = token
}

/** Returns the headers of a change, for requests not sent by `request`. */
export function csrfHeaders(): Record<string, string> {
  return csrfToken === null ? {} : { 'x-csrf-token': csrfToken }
}

type PathWith<M extends Method> = keyof Answers extends infer Endpoint
  ? Endpoint extends `${M} ${infer Path}`
    ? Path
    : never
  : never

type ParameterOf<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | ParameterOf<Rest> : never

/** A path with parameters requires a value for each of them. */
type Parameters<Path> = [ParameterOf<Path>] extends [never]
  ? object
  : { readonly params: { readonly [name in ParameterOf<Path>]: string } }

/** An endpoint with a body requires one of its shape. */
type Body<M extends Method, Path extends string> = `${M} ${Path}` extends infer Endpoint extends keyof Bodies
  ? { readonly body: Bodies[Endpoint] }
  : { readonly body?: { readonly [name: string]: never } }

type TypedOptions<M extends Method, Path extends string> = Omit<RequestOptions, 'body'> &
  Parameters<Path> &
  Body<M, Path>

/** The options can be omitted when none of them is required. */
type OptionsArgument<Options> = object extends Options ? [options?: Options] : [options: Options]

/** The response of an endpoint of the management API. */
type AnswerOf<M extends Method, Path extends string> = `${M} ${Path}` extends infer Endpoint extends keyof Answers
  ? Answers[Endpoint]
  : never

/**
 * Calls an endpoint of the management API with the session of the browser.
 * @param path as in the OpenAPI document; its parameters are encoded
 * @example
 * request('GET', '/admin/apps/{appId}/figures', { params: { appId } })
 * @throws Problem, also for an invalid path parameter (`segment`)
 */
export function request<M extends Method, Path extends PathWith<M>>(
  method: M,
  path: Path,
  ...[options]: OptionsArgument<TypedOptions<M, Path>>
): Promise<AnswerOf<M, Path>> {
  const { params = {}, ...rest } = (options ?? {}) as RequestOptions & {
    readonly params?: { readonly [name: string]: string }
  }
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => segment(params[name]!))
  return send(method, url, rest)
}

/**
 * Sends a request to a path without a schema, with the session of the browser.
 * @param path with its leading slash and already encoded variable parts (`path`)
 * @throws Problem
 */
export async function send<T>(method: Method, path: string, options: RequestOptions = {}): Promise<T> {
  const { body, query = {}, signal } = options
  const headers: Record<string, string> = { 'x-requested-with': 'fetch', ...csrfHeaders() }
  if (body !== undefined) headers['content-type'] = 'application/json'
  // Reads can be repeated; a change can take longer.
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
 * Lets the browser download a path. The server requires a ticket instead of a plain link, because links in user data could point
 * there too.
 * @throws Problem
 */
export async function download(path: string, query: { readonly [name: string]: unknown } = {}): Promise<void> {
  const { ticket } = await request('POST', '/admin/me/download-tickets', { body: { path } })
  const link = document.createElement('a')
  link.href = path + queryString({ ...query, ticket })
  link.download = ''
  link.click()
}

/**
 * Returns a path with encoded variable parts: path`/admin/apps/${appId}`.
 * @throws Problem for an invalid part (`segment`)
 */
export function path(texts: TemplateStringsArray, ...parts: readonly string[]): string {
  return texts.reduce((prefix, text, n) => prefix + segment(parts[n - 1] ?? '') + text)
}

/**
 * Encodes a text as one part of a path. Browsers resolve `.` and `..`, also encoded ones, and the server ignores an empty part
 * at the end: a request for a client with such an id would reach the parent path, and delete a conversation instead.
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
