import { statfs } from 'node:fs/promises'
import { errors } from './errors.ts'
import type { Log } from './log.ts'

/** Free space of a disk that uploads leave to the database: the smaller of the two. */
export interface ReserveSize {
  /** Bytes. */
  readonly bytes: number
  /** Percent of the disk. */
  readonly percent: number
}

/** The space of a disk in bytes. */
export interface DiskSpace {
  readonly free: number
  readonly total: number
}

export interface DiskReserveOptions {
  readonly size: ReserveSize
  readonly log?: Log
  /** Reads the space of the disk that contains a folder; uses the system's statistics when omitted. */
  readonly read?: (folder: string) => Promise<DiskSpace>
  /** Returns the time in milliseconds. */
  readonly now?: () => number
}

interface Measured extends DiskSpace {
  readonly at: number
  /** Bytes written through this reserve since then. */
  written: number
}

/** Milliseconds for which a measurement is used. */
const MEASURED_FOR_MS = 250

/** Fraction of a disk below which free space is scarce. */
const SCARCE = 0.25

/**
 * Multiple of the reserve that must be free before the log reports recovery: near the limit each upload would change the state.
 */
const ENOUGH = 1.1

const UNITS: Readonly<Record<string, number>> = { '': 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 }

/**
 * Parses `5%`, `1GB` or both separated by a comma, of which the smaller counts; `0` for none.
 * @returns null for any other text
 */
export function parseReserveSize(text: string): ReserveSize | null {
  let size: ReserveSize = { bytes: Number.MAX_SAFE_INTEGER, percent: 100 }
  for (const part of text.split(',')) {
    const [, digits, unit] = /^\s*(\d{1,15}(?:\.\d{1,6})?)\s*(%|[KMGT]?B|)\s*$/i.exec(part) ?? []
    if (digits === undefined || unit === undefined) return null
    const number = Number(digits)
    if (unit === '%') {
      if (number > 100) return null
      size = { ...size, percent: Math.min(size.percent, number) }
    } else {
      const bytes = Math.round(number * UNITS[unit.toUpperCase().replace(/^B$/, '')]!)
      size = { ...size, bytes: Math.min(size.bytes, bytes) }
    }
  }
  return size
}

/**
 * Keeps some space of each disk free: below it, data from clients and administrators is rejected, so that the database can still
 * write. All bytes written, except the database's own, are counted here.
 */
export class DiskReserve {
  readonly #size: ReserveSize
  readonly #log: Log | undefined
  readonly #read: (folder: string) => Promise<DiskSpace>
  readonly #now: () => number
  readonly #measured = new Map<string, Measured>()
  readonly #measuring = new Map<string, Promise<Measured>>()
  /** Folders whose disk has less free space than the reserve. */
  readonly #low = new Set<string>()

  constructor({ size, log, read = diskSpace, now = () => performance.now() }: DiskReserveOptions) {
    this.#size = size
    this.#log = log
    this.#read = read
    this.#now = now
  }

  /**
   * Checks that `bytes` fit above the reserve of the disk that contains a folder.
   * @param folder must exist
   * @throws ApiError 503; the system's error for the folder
   */
  async check(folder: string, bytes = 0): Promise<void> {
    if (!this.#isKept) return
    const measured = await this.#measure(folder)
    if (!this.#fits(folder, measured, bytes)) throw errors.diskReserved()
  }

  /**
   * Counts bytes before they are written to a folder.
   * @throws ApiError 503 when they would reach into the reserve; the system's error for the folder
   */
  async take(folder: string, bytes: number): Promise<void> {
    if (!this.#isKept) return
    const measured = await this.#measure(folder)
    if (!this.#fits(folder, measured, bytes)) {
      this.#noteLow(folder, measured)
      throw errors.diskReserved()
    }
    measured.written += bytes
  }

  /** Passes chunks through before they are written to a folder, and counts them. @throws ApiError 503, as `take` */
  async *guard<Chunk extends Buffer | string>(
    folder: string,
    chunks: AsyncIterable<Chunk> | Iterable<Chunk>,
  ): AsyncGenerator<Chunk, void, undefined> {
    for await (const chunk of chunks) {
      await this.take(folder, Buffer.byteLength(chunk))
      yield chunk
    }
  }

  /** Whether a disk had less than a quarter free at its last measurement. */
  get isScarce(): boolean {
    for (const { free, total, written } of this.#measured.values())
      if (total > 0 && free - written < total * SCARCE) return true
    return false
  }

  /** Returns the bytes kept free on a disk of `total` bytes. */
  of(total: number): number {
    return Math.min(this.#size.bytes, Math.floor((total * this.#size.percent) / 100))
  }

  /** Returns the size in the form that `parseReserveSize` parses. */
  toString(): string {
    return `${this.#size.bytes},${this.#size.percent}%`
  }

  get #isKept(): boolean {
    return this.#size.bytes > 0 && this.#size.percent > 0
  }

  #fits(folder: string, measured: Measured, bytes: number): boolean {
    const { free, total, written } = measured
    // Some file systems do not report their size.
    if (total === 0) return true
    const reserve = this.of(total)
    const left = free - written
    if (left < reserve) this.#noteLow(folder, measured)
    else if (left > reserve * ENOUGH) this.#noteEnough(folder, measured)
    return left - bytes >= reserve
  }

  #noteLow(folder: string, { free, total }: Measured): void {
    if (this.#low.has(folder)) return
    this.#low.add(folder)
    this.#log?.error({ folder, free, reserve: this.of(total) }, 'free disk space below the reserve, refusing uploads')
  }

  #noteEnough(folder: string, { free, total }: Measured): void {
    if (!this.#low.delete(folder)) return
    this.#log?.info({ folder, free, reserve: this.of(total) }, 'free disk space above the reserve, accepting uploads')
  }

  async #measure(folder: string): Promise<Measured> {
    const known = this.#measured.get(folder)
    if (known && this.#now() < known.at + MEASURED_FOR_MS) return known
    const running = this.#measuring.get(folder)
    if (running) return running
    const measuring = this.#read(folder)
      .then(({ free, total }) => {
        const measured = { free, total, at: this.#now(), written: 0 }
        this.#measured.set(folder, measured)
        return measured
      })
      .finally(() => this.#measuring.delete(folder))
    this.#measuring.set(folder, measuring)
    return measuring
  }
}

/** A reserve of 0. */
export const NO_RESERVE = new DiskReserve({ size: { bytes: 0, percent: 0 } })

let ofCommand = NO_RESERVE

/** Sets the reserve of this command. A server sets its own for the commands it starts for administrators. */
export function keepReserveInCommand(reserve: DiskReserve): void {
  ofCommand = reserve
}

/** Returns the reserve of this command; 0 in a shell, where the operator knows the disk. */
export function reserveOfCommand(): DiskReserve {
  return ofCommand
}

/** Returns the space of the disk that contains a folder. */
export async function diskSpace(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { free: bavail * bsize, total: blocks * bsize }
}
