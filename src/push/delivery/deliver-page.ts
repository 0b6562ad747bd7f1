import { setTimeout as sleep } from 'node:timers/promises'
import { chunks } from '../../bus/chunks.ts'
import type { JsonObject } from '../../values/json.ts'
import { contentFor } from '../content.ts'
import { countsBadges, type Device } from '../device.ts'
import { raiseBadges, readBadges } from '../installations/badges.ts'
import { areTooManyUnregistered, deadAmong, retire } from '../installations/retired-devices.ts'
import {
  areMoreThan,
  type Installation,
  targetsAfter,
  targetsBetween,
  targetsListed,
} from '../installations/targets.ts'
import type { Channel } from '../providers/all.ts'
import { ACCEPTED, type Notification, type Outcome, type Target } from '../providers/provider.ts'
import type { Push } from '../push.ts'
import { endPage } from './end-page.ts'
import { type Group, groupsOf } from './groups.ts'
import { devicesOfPage } from './page-devices.ts'
import { beginRange, findPage, noteHandled, type Page, type PageJob, type StartedPush, startedPush } from './pages.ts'
import { accept, EMPTY_TALLY, fail, type Tally, withInvalid } from './tally.ts'
import { type Postponed, tryAgain } from './try-again.ts'

/** Installations per page. */
export const PAGE_SIZE = 1000
const CHUNKS_AT_ONCE = 6
/** Milliseconds between two updates of the stored progress. */
const PROGRESS_INTERVAL_MS = 100

/**
 * Sends a push to one page of its devices, as the handler of `push` jobs. After a crash another worker continues with the devices
 * that are not recorded as handled.
 */
export async function deliverPage(push: Push, job: PageJob, signal: AbortSignal): Promise<void> {
  const started = await startedPush(push, job.pushId)
  if (!started) return
  const begun = (await pageInHand(push, started, job.page)) ?? (await beginPage(push, started, job.page))
  if (!begun || begun.page.done) return
  const delivery = new Delivery(push, started, begun.page, signal)
  await delivery.run(begun.installations)
}

/** A page and its installations. */
interface Begun {
  readonly page: Page
  readonly installations: readonly Installation[]
}

/** Returns a page that a worker has already begun; null when there is none. */
async function pageInHand(push: Push, started: StartedPush, name: string): Promise<Begun | null> {
  const page = await findPage(push, started.id, name)
  return page && { page, installations: page.done ? [] : await installationsOf(push, started, page) }
}

/** Begins the next page. @returns null when the push was cancelled meanwhile */
async function beginPage(push: Push, started: StartedPush, after: string): Promise<Begun | null> {
  const { target, flowControl } = started.request
  if (target.kind !== 'where') return null
  const { installations, until } = await targetsAfter(push, target, after, PAGE_SIZE)
  // With flow control, the next page starts only after the time that this page's devices are worth.
  const nextAt = flowControl === null ? null : new Date(Date.now() + (1000 * installations.length) / flowControl)
  // When two workers begin the same page, the first to store it decides where it ends: installations change, so each may have
  // found another end.
  if (!(await beginRange(push, started.id, after, until, nextAt))) return pageInHand(push, started, after)
  const page = { name: after, listed: null, after, until, attempt: 0, handled: new Set<string>(), done: false }
  return { page: { ...page, tally: EMPTY_TALLY }, installations }
}

async function installationsOf(push: Push, { request }: StartedPush, page: Page): Promise<readonly Installation[]> {
  const { target } = request
  if (target.kind === 'devices') return []
  if (page.listed) return targetsListed(push, page.listed)
  if (target.kind === 'where') return targetsBetween(push, target, page.after, page.until)
  return []
}

/** The delivery of one page. */
class Delivery {
  readonly #push: Push
  readonly #started: StartedPush
  readonly #page: Page
  readonly #signal: AbortSignal
  #tally: Tally
  /** Handled devices that are not stored yet. */
  #unnoted: string[] = []
  /** Set when the push was cancelled, or when another worker assumed this one dead and ended the page. */
  #superseded = false
  readonly #postponed: Postponed[] = []

  constructor(push: Push, started: StartedPush, page: Page, signal: AbortSignal) {
    this.#push = push
    this.#started = started
    this.#page = page
    this.#signal = signal
    this.#tally = page.tally
  }

  async run(installations: readonly Installation[]): Promise<void> {
    const { hasVendors } = this.#push.providers
    const { devices, tally } = devicesOfPage(this.#started, this.#page, installations, hasVendors)
    this.#tally = tally
    const ending = new AbortController()
    const progressUpdates = this.#saveProgress(ending.signal)
    try {
      await allEnded(groupsOf(devices, this.#started.request).map((group) => this.#sendGroup(group)))
    } finally {
      ending.abort()
      await progressUpdates
      await this.#note()
    }
    this.#signal.throwIfAborted()
    if (this.#superseded) return
    const { expiresAt } = this.#started
    const { retries, givenUp } = tryAgain(this.#postponed, { attempt: this.#page.attempt, now: Date.now(), expiresAt })
    for (const { reason } of givenUp) this.#tally = fail(this.#tally, reason)
    await endPage(this.#push, this.#started, this.#page, this.#tally, { retries, givenUp })
  }

  async #sendGroup({ channel, profile, pushChannel, devices }: Group): Promise<void> {
    const notification = this.#notification(channel, pushChannel)
    if (this.#started.expiresAt !== null && this.#started.expiresAt <= Date.now()) {
      return this.#failAll(channel, devices, 'the push has expired')
    }
    if (channel === 'own') {
      await this.#push.builtIn.send(
        notification,
        devices.map(({ token }) => token),
      )
      return this.#handle(
        devices,
        devices.map(() => ACCEPTED),
        channel,
      )
    }
    const provider = this.#push.providers.find(channel, profile)
    if (!provider)
      return this.#failAll(channel, devices, `${channel}: there are no credentials for '${profile ?? '_default'}'`)
    if (provider.maxDevices !== undefined && (await this.#isForMoreThan(provider.maxDevices)))
      return this.#failAll(channel, devices, 'dev profile disabled for massive push')
    const waiting = chunks(await this.#alive(channel, devices), provider.chunkSize)
    const work = async () => {
      for (let chunk = waiting.shift(); chunk && !this.#isStopped; chunk = waiting.shift()) {
        const targets = await this.#targets(channel, notification.content, chunk)
        await this.#handle(chunk, await provider.send(notification, targets, this.#signal), channel)
      }
    }
    await allEnded(Array.from({ length: CHUNKS_AT_ONCE }, work))
  }

  async #isForMoreThan(limit: number): Promise<boolean> {
    const { target } = this.#started.request
    return target.kind === 'where' && areMoreThan(this.#push, target, limit)
  }

  get #isStopped(): boolean {
    return this.#signal.aborted || this.#superseded
  }

  #notification(channel: Channel, pushChannel: string | null): Notification {
    const { id, request, expiresAt } = this.#started
    const platform = channel === 'apns' ? 'ios' : channel === 'own' ? 'android' : channel
    return { id, content: contentFor(request.data, platform), expiresAt, prod: request.prod, channel: pushChannel }
  }

  /** Removes devices whose token was declared invalid (protocol/push, Life of an installation). */
  async #alive(channel: Channel, devices: readonly Device[]): Promise<readonly Device[]> {
    if (channel !== 'apns') return devices
    const dead = await deadAmong(
      this.#push,
      devices.map(({ token }) => token),
    )
    if (dead.size === 0) return devices
    const dropped = devices.filter(({ token }) => dead.has(token))
    this.#tally = withInvalid(this.#tally, dropped.length)
    this.#failAll(channel, dropped, 'apns: the token was declared invalid before')
    return devices.filter(({ token }) => !dead.has(token))
  }

  async #targets(channel: Channel, content: JsonObject, devices: readonly Device[]): Promise<Target[]> {
    const badges = channel === 'apns' && countsBadges(content) ? await this.#badges(devices) : null
    return devices.map(({ id, token, topic, teamId }) => ({ token, topic, teamId, badge: badges?.get(id) ?? null }))
  }

  /** Returns the badge counters of devices. Only the first attempt of a push raises them by one. */
  async #badges(devices: readonly Device[]): Promise<ReadonlyMap<string, number>> {
    const ids = devices.map(({ id }) => id)
    const isNamed = this.#started.request.target.kind === 'devices'
    return this.#page.attempt === 0 ? raiseBadges(this.#push, ids, isNamed) : readBadges(this.#push, ids, isNamed)
  }

  async #handle(devices: readonly Device[], outcomes: readonly Outcome[], channel: Channel): Promise<void> {
    const unregistered: Device[] = []
    const isDoubtful = areTooManyUnregistered(channel, outcomes)
    let accepted = 0
    let postponed = 0
    for (const [index, device] of devices.entries()) {
      const outcome = outcomes[index]!
      if (outcome.kind === 'later') {
        postponed++
        this.#postponed.push({ id: device.id, reason: `${channel}: ${outcome.reason}`, after: outcome.after })
        continue
      }
      this.#unnoted.push(device.id)
      if (outcome.kind === 'accepted') accepted++
      else this.#tally = fail(this.#tally, reasonOf(channel, outcome, isDoubtful))
      if (outcome.kind === 'gone' && !isDoubtful) unregistered.push(device)
    }
    const failed = devices.length - accepted - postponed - unregistered.length
    this.#count(channel, { accepted, later: postponed, failed, unregistered: unregistered.length })
    if (accepted > 0) this.#tally = accept(this.#tally, channel, accepted)
    if (unregistered.length === 0) return
    if (channel === 'apns') this.#tally = withInvalid(this.#tally, unregistered.length)
    await retire(this.#push, channel, unregistered)
  }

  #failAll(channel: Channel, devices: readonly Device[], reason: string): void {
    if (devices.length === 0) return
    this.#count(channel, { failed: devices.length })
    this.#tally = fail(this.#tally, reason, devices.length)
    this.#unnoted.push(...devices.map(({ id }) => id))
  }

  #count(channel: Channel, outcomes: Readonly<Record<string, number>>): void {
    for (const [outcome, devices] of Object.entries(outcomes))
      if (devices > 0) this.#push.counts?.add([channel, outcome], devices)
  }

  async #saveProgress(ended: AbortSignal): Promise<void> {
    while (!ended.aborted) {
      await sleep(PROGRESS_INTERVAL_MS, null, { signal: ended }).catch(() => {})
      // While the database is unavailable, sending continues; progress is stored when it is back.
      await this.#note().catch(() => {})
    }
  }

  async #note(): Promise<void> {
    const ids = this.#unnoted.splice(0)
    if (ids.length === 0) return
    try {
      const isOpen = await noteHandled(this.#push, this.#started.id, this.#page.name, ids, this.#tally)
      if (!isOpen) this.#superseded = true
    } catch (error) {
      this.#unnoted.push(...ids)
      throw error
    }
  }
}

function reasonOf(
  channel: Channel,
  { kind, reason }: Exclude<Outcome, { kind: 'accepted' }>,
  isDoubtful: boolean,
): string {
  const doubt =
    kind === 'gone' && isDoubtful ? ' (said of most devices, so none was retired: are the credentials right?)' : ''
  return `${channel}: ${reason}${doubt}`
}

/** Waits for all promises even if one fails, so that their results are recorded. @throws the first error */
async function allEnded(works: readonly Promise<void>[]): Promise<void> {
  const ended = await Promise.allSettled(works)
  const failed = ended.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}
