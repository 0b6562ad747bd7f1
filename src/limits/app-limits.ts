import { addressKey } from './address-key.ts'
import type { Resource } from './capacity.ts'
import { type LimitKind, type LimitSettings, limitSettings } from './limit-settings.ts'
import type { Limiter, Limiters, LimitRule } from './limiters.ts'

/** The client whose actions are counted. */
export interface CountedClient {
  /** IP address; undefined when it is unknown */
  readonly address: string | undefined
  /** Id of the user whose session is known, or of a messaging client; null for none. */
  readonly userId: string | null
  /** Whether the address and the app have already been counted. */
  readonly userOnly?: boolean
}

type Scope = 'app' | 'user' | 'address'

const SCOPES: readonly Scope[] = ['address', 'user', 'app']
const SECONDS = { second: 1, hour: 3600 } as const

/** An action of these kinds costs far more than a query to Redis. */
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
 * The kinds of actions that only use capacity, and the resource they use: the default limits of an address for them apply only
 * while that resource is short. Kinds that are abuse at any load are not listed. A limit that the administrator has set always
 * applies.
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

/** Readable names, where they differ from the name of the setting. */
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

/** The limits of an app, as currently set by the administrator. */
export class AppLimits {
  readonly #appId: string
  readonly #limiters: Limiters
  readonly #settings: () => LimitSettings | undefined
  readonly #made = new Map<string, Limiter>()
  /** The settings that `#rules` were made of; undefined when the app has been deleted, for which nothing is counted. */
  #known: LimitSettings | undefined
  readonly #rules = new Map<LimitKind | 'master', readonly Rule[]>()

  constructor(appId: string, limiters: Limiters, settings: () => LimitSettings | undefined) {
    this.#appId = appId
    this.#limiters = limiters
    this.#settings = settings
  }

  /** Returns the current setting; 0 for no limit. */
  get sessionsOfConnection(): number {
    return this.#settings()?.sessionsOfConnection ?? 0
  }

  /** Returns the current setting; 0 for no limit. */
  get subscriptionsOfClient(): number {
    return this.#settings()?.subscriptionsOfClient ?? 0
  }

  /**
   * Counts an action before it is done; rejected actions count too.
   * @param part counts separately: each part has the whole limit
   * @returns a promise only when there is something to count
   * @throws ApiError 429, as a rejection
   */
  take(kind: LimitKind | 'master', client: CountedClient, amount = 1, part = ''): Promise<void> | void {
    const taken: Promise<void>[] = []
    for (const { scope, limiters } of this.#rulesOf(kind)) {
      const who = keyOf(scope, client)
      if (who === null) continue
      const key = part === '' ? who : `${who} ${part}`
      for (const limiter of limiters) taken.push(limiter.take(key, amount))
    }
    return taken.length > 1 ? Promise.all(taken).then(nothing) : taken[0]
  }

  /**
   * Counts as `take`, for actions with their own limit per minute.
   * @param who the key to count for; '' for the app as a whole
   * @param max null for no limit
   */
  takeInMinute(what: string, who: string, max: number | null, amount = 1): Promise<void> | void {
    if (max === null) return
    return this.#limiter({ name: what, max, seconds: 60, text: `${max} in a minute` }).take(who, amount)
  }

  /** Records that messages to chat rooms from an address wait too long. @param who as returned by `addressKey` */
  noteLateDeliveries(who: string): void {
    this.#limiters.noteLateDeliveries(who)
  }

  /** Counts a picture made from a file. @throws ApiError 429, as a rejection */
  takePictureOfFile(blob: string): Promise<void> | void {
    const max = this.#settings()?.picturesOfFile ?? 0
    if (max === 0) return
    return this.#limiter({
      name: 'picturesOfFile',
      max,
      seconds: SECONDS.hour,
      text: `${max} new pictures of one file in an hour`,
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

  /**
   * Returns the rule for one kind and scope. @param standard the default rate, which applies only while capacity is short if it
   * only protects capacity; null for none
   */
  #ofScope(kind: LimitKind | 'master', scope: Scope, rate: Rate, text: string, standard: Rate | null = null): Rule[] {
    const limiters = (['second', 'hour'] as const).flatMap((time): Limiter[] => {
      const max = rate[time]
      if (max === 0) return []
      const protects = standard !== null && max === standard[time] && kind !== 'master' ? CAPACITY[kind] : undefined
      return [
        this.#limiter({
          name: `${kind}.${scope}.${time}`,
          max,
          seconds: SECONDS[time],
          exact: EXACT.has(kind),
          text: textOf(max, text, time),
          ...(protects && { protects }),
          // Hourly limits allow less than a node can do, so they do not measure load.
          ...(protects && time === 'second' && { load: 1 / max }),
        }),
      ]
    })
    return limiters.length > 0 ? [{ scope, limiters }] : []
  }

  /** Returns the limiter of this name. It is replaced by a new one, with no counts, only when the limit has changed. */
  #limiter(rule: LimitRule): Limiter {
    const made = this.#made.get(rule.name)
    if (made?.rule.max === rule.max) return made
    const limiter = this.#limiters.make({ ...rule, name: `${this.#appId}:${rule.name}:${rule.max}` })
    this.#made.set(rule.name, limiter)
    return limiter
  }
}

const NO_RULES: readonly Rule[] = []

function textOf(max: number, what: string, time: keyof typeof SECONDS): string {
  return `${max} ${what} in ${time === 'hour' ? 'an hour' : 'a second'}`
}

/** Returns the key to count for; null when nothing is counted for the scope. */
function keyOf(scope: Scope, { address, userId, userOnly }: CountedClient): string | null {
  switch (scope) {
    case 'app':
      return userOnly ? null : ''
    case 'user':
      return userId
    case 'address':
      // The address is unknown once the socket has closed; then no client waits for a response either.
      return address && !userOnly ? addressKey(address) : null
  }
}

function nothing(): void {}
