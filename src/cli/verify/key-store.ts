import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { compareText } from '../../values/json.ts'

/** Maximum characters of keys in memory, in total. */
const HELD = 16 * 1024 * 1024
/** Approximate overhead of a key in addition to its characters. */
const OVERHEAD = 32
/** Maximum files that are merged at once. */
const WIDTH = 200

/**
 * Stores any number of keys by name, to be read in order. Keys that exceed the memory limit are sorted in chunks and written to a
 * temporary folder that only its owner can read.
 */
export class KeyStore {
  #directory: string | null = null
  readonly #held: number
  readonly #groups = new Map<string, Group>()
  #size = 0
  #files = 0

  /** @param held maximum characters in memory; for tests */
  constructor(held = HELD) {
    this.#held = held
  }

  /** Creates the folder. Call it once its removal is ensured, also on interruption. */
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
    // Spilling the largest group frees the most memory.
    await this.#spill([...this.#groups.values()].reduce((a, b) => (a.size >= b.size ? a : b)))
  }

  /** Yields and removes the keys of a name in character order, including duplicates. */
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

  /** Removes all files. Synchronous, so that it can run when the process exits. */
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

/** Encodes keys as JSON, one per line, because they may contain line breaks. */
async function* linesOf(keys: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  let lines: string[] = []
  for await (const key of keys) {
    // Readline also splits lines at these characters.
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

/** Merges sorted sources, using a heap ordered by their next keys. */
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
