import type { Outcome } from './api.ts'

/** A create, with a unique text. */
interface Created {
  outcome: Outcome
  /** null unless it was acknowledged. */
  id: string | null
  /** The outcome of its deletion; null without an attempt. */
  deleted: Outcome | null
}

interface Increment {
  readonly amount: number
  readonly outcome: Outcome
}

/** The outcomes of object writes, which give the minimum and maximum that must be stored. */
export class ObjectHistory {
  readonly created = new Map<string, Created>()
  /** The increments of each counter, by id. */
  readonly increments = new Map<string, Map<string, Increment>>()
  /** The last acknowledged version by object, and the next one when the outcome of the last update is unknown. */
  readonly versions = new Map<string, { acknowledged: number; perhaps: number }>()
  /** Members added to the relation of the only team. */
  readonly members = new Map<string, Outcome>()
  /** The writers that claimed a unique name. */
  readonly claims = new Map<string, { readonly owner: string; readonly outcome: Outcome }[]>()
  /** The number of acknowledged writes, and of those with an unknown outcome. */
  acknowledged = 0
  unknown = 0

  create(text: string, outcome: Outcome, id: string | null): void {
    this.#count(outcome)
    this.created.set(text, { outcome, id, deleted: null })
  }

  delete(text: string, outcome: Outcome): void {
    this.#count(outcome)
    this.created.get(text)!.deleted = outcome
  }

  increment(counter: string, operation: string, increment: Increment): void {
    this.#count(increment.outcome)
    const operations = this.increments.get(counter) ?? new Map<string, Increment>()
    this.increments.set(counter, operations.set(operation, increment))
  }

  version(id: string, acknowledged: number, perhaps: number): void {
    const before = this.versions.get(id)
    if (before && acknowledged > before.acknowledged) this.acknowledged++
    this.versions.set(id, { acknowledged, perhaps })
  }

  addMember(id: string, outcome: Outcome): void {
    this.#count(outcome)
    this.members.set(id, outcome)
  }

  claim(name: string, owner: string, outcome: Outcome): void {
    this.#count(outcome)
    this.claims.set(name, [...(this.claims.get(name) ?? []), { owner, outcome }])
  }

  #count(outcome: Outcome): void {
    if (outcome === 'done') this.acknowledged++
    if (outcome === 'unknown') this.unknown++
  }
}

/** The stored form of these writes. */
export interface StoredObjects {
  readonly notes: readonly { readonly id: string; readonly text: string }[]
  readonly counters: readonly { readonly id: string; readonly total: number; readonly operations: readonly string[] }[]
  readonly versions: readonly { readonly id: string; readonly version: number }[]
  readonly members: readonly string[]
  readonly names: readonly { readonly name: string; readonly owner: string }[]
}

/** Compares stored data with the outcomes of the writers; reports missing, unexpected and duplicate data. */
export function differencesOfObjects(history: ObjectHistory, stored: StoredObjects): string[] {
  return [
    ...ofNotes(history, stored.notes),
    ...ofCounters(history, stored.counters),
    ...ofVersions(history, stored.versions),
    ...ofMembers(history, stored.members),
    ...ofNames(history, stored.names),
  ]
}

function* ofNotes({ created }: ObjectHistory, notes: StoredObjects['notes']): Generator<string> {
  const found = groupBy(notes, ({ text }) => text)
  for (const [text, { outcome, id, deleted }] of created) {
    const ids = (found.get(text) ?? []).map((note) => note.id)
    if (ids.length > 1) yield `the object '${text}' is there ${ids.length} times: ${ids}`
    if (outcome === 'refused' && ids.length > 0) yield `the object '${text}' was refused and is there: ${ids}`
    if (outcome !== 'done') continue
    if (deleted === 'done' && ids.length > 0) yield `the object '${text}' was deleted and is there: ${ids}`
    const mayBeDeleted = deleted === 'done' || deleted === 'unknown'
    if (ids.length === 0 && !mayBeDeleted) yield `the object '${text}' was acknowledged as ${id} and is gone`
    if (ids.length === 1 && ids[0] !== id) yield `the object '${text}' was acknowledged as ${id} and is ${ids[0]}`
  }
  for (const text of found.keys()) if (!created.has(text)) yield `nobody made the object '${text}'`
}

function* ofCounters({ increments }: ObjectHistory, counters: StoredObjects['counters']): Generator<string> {
  const found = new Map(counters.map((counter) => [counter.id, counter]))
  for (const [id, operations] of increments) {
    const counter = found.get(id)
    if (!counter) {
      yield `the counter ${id} is gone`
      continue
    }
    const made = groupBy(counter.operations, (operation) => operation)
    for (const [operation, { outcome }] of operations) {
      const times = made.get(operation)?.length ?? 0
      if (times > 1) yield `the increment ${operation} of ${id} was made ${times} times`
      if (outcome === 'done' && times === 0) yield `the increment ${operation} of ${id} was acknowledged and is gone`
      if (outcome === 'refused' && times > 0) yield `the increment ${operation} of ${id} was refused and is made`
    }
    for (const operation of made.keys()) if (!operations.has(operation)) yield `nobody made the increment ${operation}`
    const sum = counter.operations.reduce((total, operation) => total + (operations.get(operation)?.amount ?? 0), 0)
    if (sum !== counter.total) yield `the counter ${id} is ${counter.total}, and its increments are ${sum}`
  }
}

function* ofVersions({ versions }: ObjectHistory, stored: StoredObjects['versions']): Generator<string> {
  const found = new Map(stored.map(({ id, version }) => [id, version]))
  for (const [id, { acknowledged, perhaps }] of versions) {
    const version = found.get(id)
    if (version !== acknowledged && version !== perhaps)
      yield `the version of ${id} is ${version}, not ${acknowledged} or ${perhaps}`
  }
}

function* ofMembers({ members }: ObjectHistory, stored: StoredObjects['members']): Generator<string> {
  const found = groupBy(stored, (id) => id)
  for (const [id, outcome] of members) {
    const times = found.get(id)?.length ?? 0
    if (times > 1) yield `the member ${id} is there ${times} times`
    if (outcome === 'done' && times === 0) yield `the member ${id} was acknowledged and is gone`
    if (outcome === 'refused' && times > 0) yield `the member ${id} was refused and is there`
  }
  for (const id of found.keys()) if (!members.has(id)) yield `nobody added the member ${id}`
}

/** Checks that a name is rejected only when another writer has it. */
function* ofNames({ claims }: ObjectHistory, names: StoredObjects['names']): Generator<string> {
  const found = groupBy(names, ({ name }) => name)
  for (const [name, claimants] of claims) {
    const owners = (found.get(name) ?? []).map(({ owner }) => owner)
    const winners = claimants.filter(({ outcome }) => outcome === 'done').map(({ owner }) => owner)
    if (owners.length > 1) yield `the name '${name}' is there ${owners.length} times: ${owners}`
    if (winners.length > 1) yield `the name '${name}' was given to ${winners}`
    if (winners.length === 1 && owners[0] !== winners[0])
      yield `the name '${name}' was given to ${winners[0]} and belongs to ${owners[0] ?? 'nobody'}`
    const isRefused = claimants.some(({ outcome }) => outcome === 'refused')
    if (isRefused && owners.length === 0) yield `the name '${name}' was refused as taken and belongs to nobody`
    const owner = claimants.find((claimant) => claimant.owner === owners[0])
    if (owner?.outcome === 'refused') yield `the name '${name}' was refused to ${owner.owner}, who has it`
  }
  for (const name of found.keys()) if (!claims.has(name)) yield `nobody wanted the name '${name}'`
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}
