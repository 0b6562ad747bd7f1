import type { Contestant, User, WireRequest } from './contestants/contestant.ts'

/** The objects of the benchmark: about 250 bytes, like typical records of an app. */
export interface StoredObject {
  readonly title: string
  readonly text: string
  readonly score: number
  readonly group: string
  readonly published: boolean
}

/** Objects per value of `group`: the result size of an equality query, whatever the size of the class. */
export const GROUP_SIZE = 10

const TEXT =
  'A record of an app: some words that a person wrote, neither very short nor very long, with a number and a flag.'

/** Returns the object with the number `n` of a class of `total` objects. */
export function sampleObject(n: number, total: number): StoredObject {
  return { title: `Title number ${n}`, text: TEXT, score: 0, group: groupOf(n, total), published: n % 2 === 0 }
}

/**
 * Returns the group of an object. Adjacent objects are in different groups, so that those of a group are spread over the table,
 * as in real data.
 */
export function groupOf(n: number, total: number): string {
  return `group-${n % Math.ceil(total / GROUP_SIZE)}`
}

/** Returns `count` numbers below `limit`, spread evenly without order, the same in every run. */
export function spread(count: number, limit: number): number[] {
  // A step of about the golden ratio of the range visits it evenly; it must share no factor with the range.
  let step = Math.floor(limit * 0.618) | 1
  while (greatestCommonDivisor(step, limit) !== 1) step += 2
  return Array.from({ length: count }, (_, index) => (index * step) % limit)
}

function greatestCommonDivisor(left: number, right: number): number {
  return right === 0 ? left : greatestCommonDivisor(right, left % right)
}

/**
 * Sends one request.
 * @throws Error when the response is not 2xx
 */
export async function send(contestant: { readonly url: string }, request: WireRequest): Promise<string> {
  const { path, ...init } = request
  const response = await fetch(contestant.url + path, init)
  const text = await response.text()
  if (!response.ok) throw new Error(`${request.method} ${contestant.url}${path} answered ${response.status}: ${text}`)
  return text
}

export const BATCH_SIZE = 50

/**
 * Fills a class with `total` objects through the contestant's own API. The first is sent alone: it creates the class, which
 * Parse Server cannot do for several objects concurrently.
 * @returns their ids
 */
export async function seed(contestant: Contestant, className: string, total: number): Promise<string[]> {
  const ids: string[] = []
  for (let start = 0, size = 1; start < total; start += size, size = Math.min(BATCH_SIZE, total - start)) {
    const objects = Array.from({ length: size }, (_, index) => sampleObject(start + index, total))
    const answer = await send(contestant, contestant.wire({ kind: 'batch', className, objects }))
    const results = JSON.parse(answer) as { success?: { objectId: string } }[]
    ids.push(...results.flatMap(({ success }) => (success ? [success.objectId] : [])))
  }
  if (ids.length !== total) throw new Error(`${contestant.name} stored ${ids.length} of ${total} objects.`)
  return ids
}

/** Concurrent registrations. */
const REGISTRATIONS = 8

/** Registers `total` users by `register`. */
export async function registerUsers(register: (name: string) => Promise<User>, total: number): Promise<User[]> {
  const users: User[] = []
  while (users.length < total) {
    const numbers = Array.from({ length: Math.min(REGISTRATIONS, total - users.length) }, (_, n) => users.length + n)
    users.push(...(await Promise.all(numbers.map((n) => register(`user-${n}`)))))
  }
  return users
}
