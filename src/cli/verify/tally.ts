import { addNotes, countedAs, type Kind, type Notes } from '../../import/batch.ts'
import { type FieldDifference, type Finding, shownKey, type VerifiedBatch } from '../../import/verification.ts'
import type { Notice } from '../../notices/notice.ts'
import { type Arrival, isFault, type Meaning, meaningOf, meaningOfExtra } from './meaning.ts'

/** A difference in the report: one line for each field. */
export interface Difference {
  /** The class, the class and relation field, or another kind of data that is counted separately. */
  readonly class: string
  readonly objectId: string | null
  readonly what: Meaning
  readonly field?: string | Notice
  /** As truncated JSON; absent when the value is secret or missing. */
  readonly there?: string
  readonly here?: string
  /** Why the record could not be read. */
  readonly reason?: Notice
  /** File and line of the source. */
  readonly place?: string
  readonly changedThere?: string
  readonly changedHere?: string
}

/** The counts of a class, or of another kind of data that is counted separately. */
export interface Tallied {
  /** Records of the source. */
  readonly there: number
  /** null: not counted */
  readonly here: number | null
  readonly same: number
  /** Records whose fields were all compared. */
  readonly compared: number
  readonly verdicts: { readonly [meaning in Meaning]?: number }
  /** Records without an id, which are only counted. */
  readonly nameless: number
  /** Records that occurred more than once. */
  readonly repeated: number
}

/** Examples of each kind of difference that are kept per class. */
const EXAMPLES = 2

interface Row {
  there: number
  here: number | null
  found: number
  compared: number
  nameless: number
  repeated: number
  readonly verdicts: Map<Meaning, number>
  readonly examples: Difference[]
}

/** Adds up the findings of a comparison, in bounded memory. */
export class Tally {
  readonly #rows = new Map<string, Row>()
  readonly #write: (difference: Difference) => void
  #notes: Notes = {}
  #faults = 0

  /** @param write called with each difference */
  constructor(write: (difference: Difference) => void) {
    this.#write = write
  }

  /** Number of faults. */
  get faults(): number {
    return this.#faults
  }

  get notes(): Notes {
    return this.#notes
  }

  /** @param read number of records in the batch */
  addBatch(of: Kind, read: number, { findings, nameless, compared, notes }: VerifiedBatch, arrival: Arrival): void {
    const row = this.#row(of)
    row.there += read
    row.nameless += nameless
    row.compared += compared
    row.found += findings.length
    this.#notes = addNotes(this.#notes, Object.values(notes))
    for (const finding of findings) this.#add(of, row, meaningOf(of, finding, arrival), finding)
  }

  addOnlyHere(of: Kind, key: string, since: string | null, arrival: Arrival): void {
    const row = this.#row(of)
    const meaning = meaningOfExtra(of, since, arrival)
    // Records without an id got a new one here, so as many additional objects are expected.
    const others = row.verdicts.get('only here') ?? 0
    this.#count(row, meaning)
    if (meaning === 'only here' && others < row.nameless) return
    if (isFault(meaning)) this.#faults++
    this.#list(row, {
      class: countedAs(of),
      objectId: shownKey(key),
      what: meaning,
      ...(since && { changedHere: since }),
    })
  }

  setHere(of: Kind, here: number, repeated: number): void {
    const row = this.#row(of)
    row.here = here
    row.repeated = repeated
  }

  /** Returns the counts by class, in the order of their names. */
  tallied(): Map<string, Tallied> {
    const sorted = [...this.#rows].sort(([a], [b]) => (a < b ? -1 : 1))
    return new Map(sorted.map(([name, row]) => [name, talliedOf(row)]))
  }

  examples(): Difference[] {
    return [...this.#rows.values()].flatMap(({ examples }) => examples)
  }

  #add(of: Kind, row: Row, meaning: Meaning, { id, place, fields, reason, changedThere, changedHere }: Finding): void {
    this.#count(row, meaning)
    if (isFault(meaning)) this.#faults++
    const common = {
      class: countedAs(of),
      objectId: id,
      what: meaning,
      ...(reason !== undefined && { reason }),
      place,
      ...(changedThere !== null && { changedThere }),
      ...(changedHere !== null && { changedHere }),
    }
    if (fields.length === 0) this.#list(row, common)
    for (const field of fields) this.#list(row, { ...common, ...membersOf(field) })
  }

  #count(row: Row, meaning: Meaning): void {
    row.verdicts.set(meaning, (row.verdicts.get(meaning) ?? 0) + 1)
  }

  #list(row: Row, difference: Difference): void {
    const alike = row.examples.filter(({ what }) => what === difference.what).length
    if (isFault(difference.what) && alike < EXAMPLES) row.examples.push(difference)
    this.#write(difference)
  }

  #row(of: Kind): Row {
    const name = countedAs(of)
    let row = this.#rows.get(name)
    if (!row) {
      row = { there: 0, here: null, found: 0, compared: 0, nameless: 0, repeated: 0, verdicts: new Map(), examples: [] }
      this.#rows.set(name, row)
    }
    return row
  }
}

function membersOf({ field, there, here }: FieldDifference): Pick<Difference, 'field' | 'there' | 'here'> {
  return { field, ...(there !== null && { there }), ...(here !== null && { here }) }
}

function talliedOf({ there, here, found, compared, nameless, repeated, verdicts }: Row): Tallied {
  const onlyHere = Math.max(0, (verdicts.get('only here') ?? 0) - nameless)
  // Records without an id got a new one here, so that many additional objects must be here, whenever they were created.
  const extra = (verdicts.get('only here') ?? 0) + (verdicts.get('made here since') ?? 0)
  const lost = here === null ? 0 : Math.max(0, nameless - extra)
  const all = new Map(verdicts).set('only here', onlyHere).set('missing', (verdicts.get('missing') ?? 0) + lost)
  return {
    there,
    here,
    same: there - found - nameless,
    compared,
    verdicts: Object.fromEntries([...all].filter(([, count]) => count > 0)),
    nameless,
    repeated,
  }
}
