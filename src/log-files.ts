import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { eventOf } from './log-event.ts'

/** Files that are kept, the one that is written among them. */
const MAX_FILES = 5
/** Bytes of a file: the next line begins another one. */
const MAX_BYTES = 4 * 1024 * 1024
/** The share of a file that one event may take: what clients can cause at will leaves room for the rest. */
const SHARE_OF_EVENT = 0.25
/** Bytes of a line: longer ones are cut. */
const MAX_LINE_BYTES = 16 * 1024
/** Events of a file that are counted apart; further ones share one count. */
const MAX_EVENTS = 1000

const NAME = /^homeport-(\d{8})\.log$/

interface OpenFile {
  readonly descriptor: number
  bytes: number
  /** Bytes of each event. */
  readonly events: Map<string, number>
}

/**
 * Keeps the log in files of a folder, numbered upwards, of which the oldest are deleted: 20 MB at most. A disk that is full
 * costs lines and nothing else. Writes are synchronous as those to standard error, so that the last lines before a crash are
 * there.
 */
export class LogFiles {
  readonly #folder: string
  readonly #maxBytes: number
  #file: OpenFile | null = null
  #isClosed = false

  /** @param maxBytes of one file */
  constructor(folder: string, maxBytes = MAX_BYTES) {
    this.#folder = folder
    this.#maxBytes = maxBytes
    attempt(() => mkdirSync(folder, { recursive: true, mode: 0o700 }))
  }

  /** Returns the last lines that are kept, the oldest first. @param most so many at most */
  lastLines(most: number): string[] {
    const lines: string[] = []
    for (const name of this.#names().reverse()) {
      const text = attempt(() => readFileSync(join(this.#folder, name), 'utf8')) ?? ''
      lines.unshift(
        ...text
          .split('\n')
          .filter((line) => line !== '')
          .slice(-(most - lines.length)),
      )
      if (lines.length >= most) break
    }
    return lines
  }

  /** Writes one line, which ends with a line break; drops it when its event has taken its share of the file. */
  write(line: string): void {
    if (this.#isClosed) return
    attempt(() => this.#write(cut(line)))
  }

  close(): void {
    this.#isClosed = true
    const file = this.#file
    this.#file = null
    if (file) attempt(() => closeSync(file.descriptor))
  }

  #write(bytes: Buffer): void {
    if (!this.#file || this.#file.bytes + bytes.length > this.#maxBytes) this.#open()
    const file = this.#file!
    const { component, event } = eventOf(bytes.toString())
    const name = `${component} ${event}`
    const counted = file.events.has(name) || file.events.size < MAX_EVENTS ? name : 'others'
    const taken = file.events.get(counted) ?? 0
    if (taken + bytes.length > this.#maxBytes * SHARE_OF_EVENT) {
      if (taken < Number.POSITIVE_INFINITY) this.#append(file, dropped(event))
      file.events.set(counted, Number.POSITIVE_INFINITY)
      return
    }
    file.events.set(counted, taken + bytes.length)
    this.#append(file, bytes)
  }

  #append(file: OpenFile, bytes: Buffer): void {
    for (let written = 0; written < bytes.length; ) written += writeSync(file.descriptor, bytes, written)
    file.bytes += bytes.length
  }

  /** Opens the next file: the last one goes on after a restart as long as it has room. */
  #open(): void {
    const names = this.#names()
    const last = Number(NAME.exec(names.at(-1) ?? '')?.[1] ?? 0)
    if (this.#file) closeSync(this.#file.descriptor)
    const isFirst = this.#file === null && last > 0
    this.#file = null
    let file = this.#openNumbered(isFirst ? last : last + 1)
    if (isFirst && file.bytes > this.#maxBytes / 2) {
      closeSync(file.descriptor)
      file = this.#openNumbered(last + 1)
    }
    this.#file = file
    for (const name of this.#names().slice(0, -MAX_FILES)) rmSync(join(this.#folder, name), { force: true })
  }

  #openNumbered(number: number): OpenFile {
    const path = join(this.#folder, `homeport-${String(number).padStart(8, '0')}.log`)
    const descriptor = openSync(path, 'a', 0o600)
    return { descriptor, bytes: fstatSync(descriptor).size, events: new Map() }
  }

  #names(): string[] {
    return (attempt(() => readdirSync(this.#folder)) ?? []).filter((name) => NAME.test(name)).sort()
  }
}

function cut(line: string): Buffer {
  const bytes = Buffer.from(line)
  if (bytes.length <= MAX_LINE_BYTES) return bytes
  return Buffer.concat([bytes.subarray(0, MAX_LINE_BYTES - 1), Buffer.from('\n')])
}

/** The line that stands for the dropped ones. */
function dropped(event: string): Buffer {
  const line = {
    level: 'warn',
    time: new Date().toISOString(),
    component: 'log',
    event,
    msg: 'lines dropped from the log file',
  }
  return Buffer.from(`${JSON.stringify(line)}\n`)
}

/** Nothing about log files ends the server: a full disk and missing rights cost lines. */
function attempt<Result>(act: () => Result): Result | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}
