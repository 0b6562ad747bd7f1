import type { DestinationStream } from 'pino'
import { eventOf } from './log-event.ts'
import { LogFiles } from './log-files.ts'

/** Maximum lines kept, in all and of one event, and maximum characters of each. */
const MAX_LINES = 1000
const MAX_LINES_OF_EVENT = 250
const MAX_CHARACTERS = 2000

/** A line of the log. */
export interface TailLine {
  /** Grows with each line of the process. */
  readonly number: number
  readonly text: string
}

/**
 * Keeps the last lines of the log. They hold no secrets, because secrets are never logged (docs/architecture.md, The log).
 * Events that clients can cause at will do not evict others: a new line replaces the oldest one of its own event when that has
 * its share, else the oldest of the most frequent event in the component with the most lines.
 */
export class LogTail {
  /** By component and event, the oldest line first. */
  readonly #lines = new Map<string, Map<string, TailLine[]>>()
  #count = 0
  #number = 0
  #files: LogFiles | null = null

  /** Returns a destination that records each line before it passes it on. */
  before(destination: DestinationStream): DestinationStream {
    return {
      write: (line) => {
        this.#note(line)
        destination.write(line)
      },
    }
  }

  /**
   * Also stores the lines in files of a folder, and loads the last ones of earlier processes, so that they are shown after a
   * crash. Lines logged so far come after them.
   */
  keepIn(folder: string): LogFiles {
    const files = new LogFiles(folder)
    const until = this.after(0)
    this.#lines.clear()
    this.#count = 0
    for (const line of files.lastLines(MAX_LINES)) this.#add(line)
    this.#files = files
    for (const { text } of until) this.#note(`${text}\n`)
    return files
  }

  /** Returns the lines after the one with that number, the oldest first. */
  after(number: number): TailLine[] {
    return [...this.#lines.values()]
      .flatMap((events) => [...events.values()].flat())
      .filter((line) => line.number > number)
      .sort((a, b) => a.number - b.number)
  }

  #note(line: string): void {
    this.#add(line)
    this.#files?.write(line)
  }

  #add(line: string): void {
    const { component, event } = eventOf(line)
    const events = this.#lines.get(component) ?? new Map<string, TailLine[]>()
    this.#lines.set(component, events)
    const lines = events.get(event)
    const added = { number: ++this.#number, text: line.trimEnd().slice(0, MAX_CHARACTERS) }
    if (lines) lines.push(added)
    else events.set(event, [added])
    this.#count++
    if (lines && lines.length > MAX_LINES_OF_EVENT) this.#forgetOldest(component, event)
    else if (this.#count > MAX_LINES) this.#forgetOne()
  }

  #forgetOne(): void {
    let component = ''
    let max = 0
    for (const [name, events] of this.#lines) {
      let count = 0
      for (const lines of events.values()) count += lines.length
      if (count > max) [component, max] = [name, count]
    }
    let event = ''
    let longest: readonly TailLine[] = []
    for (const [name, lines] of this.#lines.get(component)!) {
      const isOlder = lines.length === longest.length && lines[0]!.number < longest[0]!.number
      if (lines.length > longest.length || isOlder) [event, longest] = [name, lines]
    }
    this.#forgetOldest(component, event)
  }

  #forgetOldest(component: string, event: string): void {
    const events = this.#lines.get(component)!
    const lines = events.get(event)!
    lines.shift()
    this.#count--
    if (lines.length > 0) return
    events.delete(event)
    if (events.size === 0) this.#lines.delete(component)
  }
}
