import { addressKey } from './address-key.ts'
import type { Resource } from './capacity.ts'
import { type LimitKind, type LimitSettings, limitSettings } from './limit-settings.ts'
import type { Limiter, Limiters, LimitRule } from './limiters.ts'

/** Whose doing is counted. */
export interface Doer {
  /** IP address; undefined when it is not known */
  readonly address: string | undefined
  /** Id of a user whose session is known, or of a client of messaging; null for anybody. */
  readonly userId: string | null
  /** The address and the app have been counted already. */
  readonly userOnly?: boolean
}

type Scope = 'app' | 'user' | 'address'

const SCOPES: readonly Scope[] = ['address', 'user', 'app']
const SECONDS = { second: 1, hour: 3600 } as const

/** What one of a kind costs is far more than asking Redis. */
const EXACT: ReadonlySet<string> = new Set<LimitKind>([
  'logins',
  'signUps',
  'mails',
  'codes',
  'pushes',
  'newClasses',
  'newFields',
  'uploads',
  'uploadMegabytes',
])

/**
 * What only costs capacity, and which: the default limits of an address for it apply only while that is short. What is abuse at
 * any load is not among it, nor is a limit that the administrator has set.
 */
export const CAPACITY: { readonly [kind in LimitKind]?: Resource } = {
  requests: 'processor',
  queries: 'processor',
  writes: 'processor',
  functions: 'processor',
  subscriptions: 'processor',
  messages: 'processor',
  commands: 'processor',
  pictureMegapixels: 'processor',
  uploads: 'processor',
  uploadMegabytes: 'disk',
  deliveries: 'deliveries',
}
const DEFAULTS = limitSettings.parse(undefined)

/** What people call it, where the name of the setting is not that. */
const NAMES: { readonly [kind in LimitKind]?: string } = {
  signUps: 'new users',
  mails: 'mails',
  codes: 'messages to phone numbers',
  newClasses: 'new classes',
  newFields: 'new fields of a class',
  uploadMegabytes: 'megabytes of uploads',
  pictureMegapixels: 'megapixels of pictures',
  subscriptions: 'new live queries',
}
const OF_SCOPE: { readonly [scope in Scope]: string } = {
  address: 'from one address',
  user: 'by one user',
  app: 'in the app',
}

interface Rate {
  readonly second: number
  readonly hour: number
}

interface Rule {
  readonly scope: Scope
  readonly limiters: readonly Limiter[]
}

/** The limits that the administrator has set for an app, as they are at this moment. */
export class AppLimits {
  readonly #appId: string
  readonly #limiters: Limiters
  readonly #settings: () => LimitSettings | undefined
  readonly #made = new Map<string, Limiter>()
  /** The settings that `#rules` are of; undefined when the app is gone, of which nothing is counted. */
  #known: LimitSettings | undefined
  readonly #rules = new Map<LimitKind | 'master', readonly Rule[]>()

  constructor(appId: string, limiters: Limiters, settings: () => LimitSettings | undefined) {
    this.#appId = appId
    this.#limiters = limiters
    this.#settings = settings
  }

  /** @returns as it is set now; 0: no limit */
  get sessionsOfConnection(): number {
    return this.#settings()?.sessionsOfConnection ?? 0
  }

  /** As `sessionsOfConnection`. */
  get subscriptionsOfClient(): number {
    return this.#settings()?.subscriptionsOfClient ?? 0
  }

  /**
   * Counts something that is about to be done; what is refused counts too.
   * @param part sets what is counted apart: each has the whole limit
   * @returns a promise only where there is something to count
   * @throws ApiError 429, by the promise
   */
  take(kind: LimitKind | 'master', doer: Doer, amount = 1, part = ''): Promise<void> | void {
    const taken: Promise<void>[] = []
    for (const { scope, limiters } of this.#rulesOf(kind)) {
      const who = keyOf(scope, doer)
      if (who === null) continue
      const key = part === '' ? who : `${who} ${part}`
      for (const limiter of limiters) taken.push(limiter.take(key, amount))
    }
    return taken.length > 1 ? Promise.all(taken).then(nothing) : taken[0]
  }

  /**
   * As `take`, for what is limited in a minute by a setting of its own.
   * @param who for whom it is counted; '' for the app as a whole
   * @param most null: no limit
   */
  takeInMinute(what: string, who: string, most: number | null, amount = 1): Promise<void> | void {
    if (most === null) return
    return this.#limiter({ name: what, most, seconds: 60, text: `${most} in a minute` }).take(who, amount)
  }

  /** To be called when messages to chat rooms from an address wait for too long. @param who as `addressKey` gives it */
  noteLateDeliveries(who: string): void {
    this.#limiters.noteLateDeliveries(who)
  }

  /** Counts a picture that is made of a file. @throws ApiError 429, by the promise */
  takePictureOfFile(blob: string): Promise<void> | void {
    const most = this.#settings()?.picturesOfFile ?? 0
    if (most === 0) return
    return this.#limiter({
      name: 'picturesOfFile',
      most,
      seconds: SECONDS.hour,
      text: `${most} new pictures of one file in an hour`,
    }).take(blob)
  }

  #rulesOf(kind: LimitKind | 'master'): readonly Rule[] {
    const settings = this.#settings()
    if (settings !== this.#known) {
      this.#known = settings
      this.#rules.clear()
    }
    let rules = this.#rules.get(kind)
    if (!rules) {
      if (!settings) return NO_RULES
      rules = kind === 'master' ? this.#ofMaster(settings) : this.#ofKind(kind, settings)
      this.#rules.set(kind, rules)
    }
    return rules
  }

  #ofMaster({ master }: LimitSettings): Rule[] {
    return this.#ofScope('master', 'app', master, 'requests with the master key')
  }

  #ofKind(kind: LimitKind, settings: LimitSettings): Rule[] {
    const what = NAMES[kind] ?? kind
    return SCOPES.flatMap((scope) => {
      const rate = settings[kind][scope]
      const standard = scope === 'address' ? DEFAULTS[kind].address : null
      return this.#ofScope(kind, scope, rate, `${what} ${OF_SCOPE[scope]}`, standard)
    })
  }

  /** @param standard the default rate, which applies only while capacity is short where it protects nothing else; null for none */
  #ofScope(kind: LimitKind | 'master', scope: Scope, rate: Rate, text: string, standard: Rate | null = null): Rule[] {
    const limiters = (['second', 'hour'] as const).flatMap((time): Limiter[] => {
      const most = rate[time]
      if (most === 0) return []
      const protects = standard !== null && most === standard[time] && kind !== 'master' ? CAPACITY[kind] : undefined
      return [
        this.#limiter({
          name: `${kind}.${scope}.${time}`,
          most,
          seconds: SECONDS[time],
          exact: EXACT.has(kind),
          text: textOf(most, text, time),
          ...(protects && { protects }),
          // A limit of an hour allows less than what a node can do: it is no measure of load.
          ...(protects && time === 'second' && { load: 1 / most }),
        }),
      ]
    })
    return limiters.length > 0 ? [{ scope, limiters }] : []
  }

  /** The limiter of this name: a new one, which has counted nothing, only where the limit has changed. */
  #limiter(rule: LimitRule): Limiter {
    const made = this.#made.get(rule.name)
    if (made?.rule.most === rule.most) return made
    const limiter = this.#limiters.make({ ...rule, name: `${this.#appId}:${rule.name}:${rule.most}` })
    this.#made.set(rule.name, limiter)
    return limiter
  }
}

const NO_RULES: readonly Rule[] = []

function textOf(most: number, what: string, time: keyof typeof SECONDS): string {
  return `${most} ${what} in ${time === 'hour' ? 'an hour' : 'a second'}`
}

/** @returns null when nobody is to be counted */
function keyOf(scope: Scope, { address, userId, userOnly }: Doer): string | null {
  switch (scope) {
    case 'app':
      return userOnly ? null : ''
    case 'user':
      return userId
    case 'address':
      // Nobody knows it once the socket is gone, and then nobody waits for an answer either.
      return address && !userOnly ? addressKey(address) : null
  }
}

function nothing(): void {}
