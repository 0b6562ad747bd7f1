import { createHash } from 'node:crypto'
import {
  type Batch,
  type BatchOutcome,
  countedAs,
  type ImportState,
  type Item,
  type Kind,
  type OnConflict,
  type Position,
} from '../../import/batch.ts'
import { BATCH_ITEMS, BATCH_SIZE, insisting, sendBatch } from '../import/send-batch.ts'
import type { Management } from '../management.ts'

/** The app that data is pulled into. */
export interface PullTarget {
  readonly management: Management
  /** The path of the app in the management API. */
  readonly appPath: string
  readonly sourceApp: string
  readonly onConflict: OnConflict
  /** Rejects records with invalid values; otherwise null is stored for these values. */
  readonly strict: boolean
  /** Whether to restart instead of resuming. */
  readonly again: boolean
  readonly onBatch: (name: string, outcome: BatchOutcome) => void
}

/** A record with the mark from which a pull resumes after it. */
export interface PulledItem extends Omit<Item, 'at'> {
  readonly mark: string
}

/**
 * A part of the source that is pulled separately: a class, the members of a relation, the messages. It is an import of its own
 * (docs/moving-in.md, How it works), so that the written data and the position always match.
 */
export class Part {
  readonly name: string
  readonly importPath: string
  readonly #target: PullTarget
  #position: Position
  #mark: string | null

  private constructor(name: string, importPath: string, target: PullTarget, { place, mark }: ImportState) {
    this.name = name
    this.importPath = importPath
    this.#target = target
    this.#position = place
    this.#mark = mark
  }

  /** Starts a part, or resumes the same part of the same source. */
  static async open(target: PullTarget, name: string, again = target.again): Promise<Part> {
    const path = Part.pathOf(target, name)
    const body = { source: `${target.sourceApp}: ${name}`.slice(0, 1000), again }
    return new Part(
      name,
      path,
      target,
      (await insisting(() => target.management.request('PUT', path, body))) as ImportState,
    )
  }

  /** Returns the path of a part's import in the management API. */
  static pathOf({ sourceApp, appPath }: Pick<PullTarget, 'sourceApp' | 'appPath'>, name: string): string {
    const id = createHash('sha256')
      .update(JSON.stringify(['pull', sourceApp, name]))
      .digest('hex')
    return `${appPath}/imports/${id}`
  }

  /** The last mark written; null at the beginning. */
  get mark(): string | null {
    return this.#mark
  }

  /**
   * Writes records with the mark of the last record, or with `mark`, which can be written without records.
   * @throws Error with one line for the user
   */
  async write(of: Kind, items: readonly PulledItem[], mark = items.at(-1)?.mark): Promise<void> {
    let begin = 0
    do {
      const end = endOfBatch(items, begin)
      await this.#send(of, items.slice(begin, end), end === items.length ? mark : items[end - 1]!.mark)
      begin = end
    } while (begin < items.length)
  }

  async #send(of: Kind, items: readonly PulledItem[], mark: string | undefined): Promise<void> {
    const from = this.#position
    const to = { entry: 0, record: from.record + items.length }
    const batch: Batch = {
      of,
      file: this.name,
      from,
      to,
      items: items.map(({ text, notes, reason }, index) => ({ at: from.record + index + 1, text, notes, reason })),
      onConflict: this.#target.onConflict,
      ...(this.#target.strict && { strict: true }),
      ...(mark !== undefined && { mark }),
      source: this.#target.sourceApp,
      dryRun: false,
    }
    const outcome = await sendBatch(this.#target.management, this.importPath, batch)
    this.#position = to
    this.#mark = mark ?? this.#mark
    if (outcome) this.#target.onBatch(countedAs(of), outcome)
  }
}

function endOfBatch(items: readonly PulledItem[], begin: number): number {
  let size = 0
  let end = begin
  while (end < items.length && end - begin < BATCH_ITEMS) {
    size += items[end]!.text.length
    if (size > BATCH_SIZE && end > begin) break
    end++
  }
  return end
}
