export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body by reading it
  readonly body: any
}

/** A client of the management API that keeps the session cookie and CSRF token, as the console does. */
export class AdministratorBrowser {
  cookie = ''
  csrfToken = ''
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const answer = await fetch(this.#url + path, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(this.cookie && { cookie: this.cookie }),
        ...(this.csrfToken && { 'x-csrf-token': this.csrfToken }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, headers: answer.headers, body: await answer.json() }
  }

  async enter(path: string, body: unknown): Promise<Answer> {
    const answer = await this.send('POST', path, body)
    const [cookie] = answer.headers.getSetCookie()
    if (cookie) this.cookie = cookie.split(';')[0]!
    if (answer.body.csrfToken) this.csrfToken = answer.body.csrfToken
    return answer
  }
}
