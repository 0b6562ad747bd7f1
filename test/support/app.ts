import pg from 'pg'
import { afterAll, inject } from 'vitest'
import { countCost } from './cost-counts.ts'

export interface Reply {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body by reading it
  readonly body: any
}

export interface RequestOptions {
  readonly body?: unknown
  readonly master?: boolean
  readonly session?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

/** An app on the shared server, used by only this test file. */
export interface TestApp {
  readonly url: string
  readonly appId: string
  readonly appKey: string
  readonly masterKey: string
  request(method: string, path: string, options?: RequestOptions): Promise<Reply>
  admin(method: string, path: string, body?: unknown): Promise<Reply>
  /** Registers a user, with the password `password of <username>`. */
  makeUser(username: string): Promise<{ id: string; session: string }>
  /** Runs a statement with the app's tables in the search path. */
  sql(text: string, values?: unknown[]): Promise<pg.QueryResult>
}

/**
 * Creates an app, and removes it with all its data when the test file ends.
 * @param given keys of the app, as accepted by `POST /admin/apps`
 */
export async function makeApp(
  url = inject('serverUrl'),
  adminToken = inject('adminToken'),
  given: Readonly<Record<string, string>> = {},
): Promise<TestApp> {
  const admin = async (method: string, path: string, body?: unknown) =>
    call(url, method, path, { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }, body)
  countCost('apps')
  const made = await admin('POST', '/admin/apps', { name: 'test', ...given })
  const { appId, appKey, masterKey } = made.body as { appId: string; appKey: string; masterKey: string }
  let pool: pg.Pool | undefined
  const sql = (text: string, values: unknown[] = []) => {
    pool ??= new pg.Pool({
      connectionString: inject('databaseUrl'),
      max: 2,
      options: `-c search_path="app_${appId}",homeport`,
    })
    return pool.query(text, values)
  }
  const request = (method: string, path: string, options: RequestOptions = {}) => {
    const search = options.query ? `?${new URLSearchParams(options.query)}` : ''
    const headers: Record<string, string> = {
      'x-lc-id': appId,
      'x-lc-key': options.master ? `${masterKey},master` : appKey,
      'content-type': 'application/json',
      ...(options.session && { 'x-lc-session': options.session }),
      ...options.headers,
    }
    return call(url, method, path + search, headers, options.body)
  }
  afterAll(async () => {
    await pool?.end()
    await admin('DELETE', `/admin/apps/${appId}`)
  })
  return {
    url,
    appId,
    appKey,
    masterKey,
    request,
    admin: (method, path, body) => admin(method, `/admin/apps/${appId}${path}`, body),
    sql,
    makeUser: async (username) => {
      const { body } = await request('POST', '/1.1/users', {
        body: { username, password: `password of ${username}` },
      })
      return { id: body.objectId as string, session: body.sessionToken as string }
    },
  }
}

/**
 * Sends a request and parses the JSON response.
 * @param timeoutMs timeout in milliseconds
 */
export async function call(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body: unknown,
  timeoutMs = 60_000,
): Promise<Reply> {
  const payload = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
  const signal = AbortSignal.timeout(timeoutMs)
  const response = await fetch(url + path, { method, headers, signal, ...(payload !== undefined && { body: payload }) })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
}
