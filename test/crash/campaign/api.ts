import type { Trouble } from './trouble.ts'

/** An app as its clients know it. */
export interface Place {
  /** Where it is served, by one server or several; changes when a new server takes over. */
  urls(): readonly string[]
  readonly appId: string
  readonly appKey: string
  readonly masterKey: string
}

/**
 * What became of a write, as far as its client was told: done for ever, refused and without any effect, or neither, as
 * after a connection that broke or an answer of 500 and above. Then it may have been done, but no more than once.
 */
export type Outcome = 'done' | 'refused' | 'unknown'

export interface Told {
  readonly outcome: Outcome
  /** null when there was no answer. */
  readonly status: number | null
  // biome-ignore lint/suspicious/noExplicitAny: whoever asks knows what the answer looks like
  readonly body: any
}

export interface Asking {
  readonly master?: boolean
  readonly query?: Readonly<Record<string, string>>
  /** Which of the servers is asked, by its place among the URLs; in turn when it is left out. */
  readonly server?: number
}

/** Longer than this, in milliseconds, no request may take, whatever happens to the database; unless told otherwise. */
const LONGEST_WAIT = 15_000

/** REST, as the writers use it. */
export class Api {
  readonly place: Place
  readonly trouble: Trouble
  /** How long the servers were held still on purpose, in milliseconds: so much longer a request may take. */
  held = 0
  readonly #longestWait: number
  #turn = 0

  constructor(place: Place, trouble: Trouble, longestWait = LONGEST_WAIT) {
    this.place = place
    this.trouble = trouble
    this.#longestWait = longestWait
  }

  async send(method: string, path: string, body?: object, asking: Asking = {}): Promise<Told> {
    const { appId, appKey, masterKey } = this.place
    const urls = this.place.urls()
    const url = urls[(asking.server ?? this.#turn++) % urls.length]!
    const search = asking.query ? `?${new URLSearchParams(asking.query)}` : ''
    const headers = {
      'x-lc-id': appId,
      'x-lc-key': asking.master ? `${masterKey},master` : appKey,
      'content-type': 'application/json',
    }
    const [since, heldBefore] = [performance.now(), this.held]
    const answer = await this.#fetch(url + path + search, method, headers, body)
    const waited = performance.now() - since - (this.held - heldBefore)
    if (waited > this.#longestWait) this.trouble.violations.push(`${method} ${path} took ${Math.round(waited)} ms`)
    if (answer === null) {
      this.trouble.unanswered++
      return { outcome: 'unknown', status: null, body: null }
    }
    if (answer.status < 300) return { outcome: 'done', ...answer }
    this.#countFailure(`${method} ${path}`, answer)
    return { outcome: answer.status < 500 ? 'refused' : 'unknown', ...answer }
  }

  /** Asks for what must be there, as soon as a server is well. @throws Error */
  async get(path: string, query: Readonly<Record<string, string>> = {}): Promise<Told['body']> {
    const { status, body } = await this.send('GET', path, undefined, { master: true, query })
    if (status !== 200) throw new Error(`GET ${path} is answered with ${status} ${JSON.stringify(body)}`)
    return body
  }

  async #fetch(url: string, method: string, headers: Record<string, string>, body: object | undefined) {
    try {
      const signal = AbortSignal.timeout(this.#longestWait + 10_000)
      const text = body === undefined ? {} : { body: JSON.stringify(body) }
      const response = await fetch(url, { method, headers, signal, ...text })
      return { status: response.status, body: JSON.parse(await response.text()) as Told['body'] }
    } catch (error) {
      // An answer that breaks off in the middle is no answer; one that is no JSON is a fault.
      if (error instanceof SyntaxError) this.trouble.violations.push(`${method} ${url}: ${error}`)
      return null
    }
  }

  #countFailure(request: string, { status, body }: Pick<Told, 'status' | 'body'>): void {
    const { code, error } = body ?? {}
    this.trouble.countFailure(`${status} ${code}`)
    if (typeof code !== 'number' || typeof error !== 'string' || error === '' || status === 500)
      this.trouble.violations.push(`${request}: ${status} ${JSON.stringify(body)}`)
  }
}
