import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { eventOf } from './log-event.ts'

/** Maximum number of files kept, including the current one. */
const MAX_FILES = 5
/** Maximum bytes of a file, before the next one begins. */
const MAX_BYTES = 4 * 1024 * 1024
/** Maximum fraction of a file for one event, so that events that clients can cause at will leave space for others. */
const SHARE_OF_EVENT = 0.25
/** Maximum bytes of a line; longer ones are truncated. */
const MAX_LINE_BYTES = 16 * 1024
/** Maximum events of a file that are counted separately; further ones share one count. */
const MAX_EVENTS = 1000

const NAME = /^homeport-(\d{8})\.log$/

interface OpenFile {
  readonly descriptor: number
  bytes: number
  /** Bytes of each event. */
  readonly events: Map<string, number>
}

/**
 * Stores the log in numbered files of a folder, of which the oldest are deleted: at most 20 MB. A full disk only loses lines.
 * Writes are synchronous, like those to standard error, so that the last lines before a crash are stored.
 */
export class LogFiles {
  readonly #folder: string
  readonly #maxBytes: number
  #file: OpenFile | null = null
  #isClosed = false

  /** @param maxBytes maximum bytes of one file */
  constructor(folder: string, maxBytes = MAX_BYTES) {
    this.#folder = folder
    this.#maxBytes = maxBytes
    attempt(() => mkdirSync(folder, { recursive: true, mode: 0o700 }))
  }

  /** Returns the last stored lines, the oldest first. @param max maximum number of lines */
  lastLines(max: number): string[] {
    const lines: string[] = []
    for (const name of this.#names().reverse()) {
      const text = attempt(() => readFileSync(join(this.#folder, name), 'utf8')) ?? ''
      lines.unshift(
        ...text
          .split('\n')
          .filter((line) => line !== '')
          .slice(-(max - lines.length)),
      )
      if (lines.length >= max) break
    }
    return lines
  }

  /** Writes one line, which ends with a line break; drops it when its event has used its share of the file. */
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

  /** Opens the next file. After a restart, the last one is continued if it is at most half full. */
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

/** Returns the line that replaces dropped ones. */
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

/**
 * Ignores errors: problems with log files, such as a full disk or missing permissions, only lose lines and never end the server.
 */
function attempt<Result>(act: () => Result): Result | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}
