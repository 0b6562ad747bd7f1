import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { compareText } from '../../values/json.ts'

/** Characters of keys that are held in memory, however many there are in all. */
const HELD = 16 * 1024 * 1024
/** A key costs about so much more than its characters. */
const OVERHEAD = 32
/** Files that are merged at once. */
const WIDTH = 200

/**
 * Keys by what they belong to, any number of them, to be read in order: what is too much for the memory is sorted in pieces,
 * into a folder of its own that is for its owner alone.
 */
export class KeyStore {
  #directory: string | null = null
  readonly #held: number
  readonly #groups = new Map<string, Group>()
  #size = 0
  #files = 0

  /** @param held characters to hold; for tests */
  constructor(held = HELD) {
    this.#held = held
  }

  /** Makes the folder: not before there is somebody who removes it, whatever happens. */
  open(): void {
    this.#directory = mkdtempSync(join(tmpdir(), 'homeport-verify-'))
  }

  async add(name: string, keys: readonly string[]): Promise<void> {
    const group = this.#groups.get(name) ?? { held: [], size: 0, pieces: [] }
    this.#groups.set(name, group)
    for (const key of keys) {
      group.held.push(key)
      group.size += key.length + OVERHEAD
      this.#size += key.length + OVERHEAD
    }
    if (this.#size <= this.#held) return
    // The largest frees the most: what is left of others is small.
    await this.#spill([...this.#groups.values()].reduce((a, b) => (a.size >= b.size ? a : b)))
  }

  /** The keys of one name in the order of their characters; one that was added twice comes twice. They are forgotten. */
  async *sorted(name: string): AsyncGenerator<string> {
    const group = this.#groups.get(name)
    if (!group) return
    this.#groups.delete(name)
    this.#size -= group.size
    while (group.pieces.length > WIDTH) {
      const merged = mergedKeys(group.pieces.splice(0, WIDTH).map(keysIn))
      group.pieces.push(await this.#write(merged))
    }
    yield* mergedKeys([...group.pieces.map(keysIn), group.held.sort(compareText)])
    for (const piece of group.pieces) rmSync(piece, { force: true })
  }

  /** Removes all that is on the disk. At once, so that it can be done when the process ends. */
  remove(): void {
    if (this.#directory !== null) rmSync(this.#directory, { recursive: true, force: true })
  }

  async #spill(group: Group): Promise<void> {
    const keys = group.held.sort(compareText)
    this.#size -= group.size
    group.held = []
    group.size = 0
    group.pieces.push(await this.#write(keys))
  }

  async #write(keys: Iterable<string> | AsyncIterable<string>): Promise<string> {
    const path = join(this.#directory!, String(this.#files++))
    await pipeline(Readable.from(linesOf(keys)), createWriteStream(path, { mode: 0o600 }))
    return path
  }
}

interface Group {
  held: string[]
  size: number
  readonly pieces: string[]
}

const LINES = 2000

/** Keys are JSON in their lines: they may have line breaks. */
async function* linesOf(keys: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  let lines: string[] = []
  for await (const key of keys) {
    // Where readline ends lines, too.
    lines.push(JSON.stringify(key).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029'))
    if (lines.length < LINES) continue
    yield `${lines.join('\n')}\n`
    lines = []
  }
  if (lines.length > 0) yield `${lines.join('\n')}\n`
}

async function* keysIn(path: string): AsyncGenerator<string> {
  for await (const line of createInterface({ input: createReadStream(path) })) yield JSON.parse(line) as string
}

/** Merges what is sorted. The sources stand in a heap by the key that each has next. */
async function* mergedKeys(sources: readonly (Iterable<string> | AsyncIterable<string>)[]): AsyncGenerator<string> {
  const heap: { key: string; readonly rest: AsyncIterator<string> | Iterator<string> }[] = []
  const isBefore = (a: number, b: number) => compareText(heap[a]!.key, heap[b]!.key) < 0
  const swap = (a: number, b: number) => {
    const one = heap[a]!
    heap[a] = heap[b]!
    heap[b] = one
  }
  const sink = () => {
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2]
      let first = at
      if (left < heap.length && isBefore(left, first)) first = left
      if (right < heap.length && isBefore(right, first)) first = right
      if (first === at) return
      swap(at, first)
      at = first
    }
  }
  for (const source of sources) {
    const rest = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
    const { value, done } = await rest.next()
    if (!done) heap.push({ key: value, rest })
  }
  heap.sort((a, b) => compareText(a.key, b.key))
  while (heap.length > 0) {
    const first = heap[0]!
    yield first.key
    const next = await first.rest.next()
    if (next.done) {
      const last = heap.pop()!
      if (heap.length === 0) return
      heap[0] = last
    } else first.key = next.value
    sink()
  }
}
