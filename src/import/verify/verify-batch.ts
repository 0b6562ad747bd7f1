import { isRefusal } from '../../database/faults.ts'
import { addNotes, countedAs, type Item, type Notes } from '../batch.ts'
import { type Finding, shownKey, type VerifiedBatch, type VerifyBatch } from '../verification.ts'
import { reasonOf } from '../write/reason.ts'
import { readItems } from '../write/write-batch.ts'
import { bytesComparison } from './compare-bytes.ts'
import { memberComparison } from './compare-members.ts'
import { messagingComparison } from './compare-messaging.ts'
import { objectComparison } from './compare-objects.ts'
import type { Comparison, Found, Remark } from './comparison.ts'
import type { VerifyApp } from './verify-app.ts'

/** Compares records of a source with what is here, and changes nothing. @throws ApiError when the class can be none */
export async function verifyBatch(app: VerifyApp, batch: VerifyBatch): Promise<VerifiedBatch> {
  switch (batch.of.kind) {
    case 'objects':
      return verified(batch, await objectComparison(app, batch.of.className, batch.share))
    case 'relations':
      return verified(batch, await memberComparison(app, batch.of))
    case 'files':
      return verified(batch, bytesComparison(app))
    default:
      return verified(batch, messagingComparison(app, batch.of))
  }
}

async function verified<Value>(batch: VerifyBatch, comparison: Comparison<Value>): Promise<VerifiedBatch> {
  const { read, refused } = await readItems(batch.items, (text) => comparison.read(text))
  const placeOf = ({ at }: Item) => `${batch.file}:${at}`
  const values = read.map(({ value }) => value)
  const prepared = (await comparison.prepare?.(values)) ?? values
  const keyed = read.flatMap(({ item }, index) => {
    const value = prepared[index]!
    const key = comparison.keyOf(value)
    return key === null ? [] : [{ item, key, value }]
  })
  const findings = refused.map(({ item, reason }) => unreadableAt(placeOf(item), null, reason))
  let notes: Notes = {}
  for (const { given, outcome } of await compareOrSplit(comparison, keyed)) {
    const place = placeOf(given.item)
    if (typeof outcome === 'string') findings.push(unreadableAt(place, shownKey(given.key), outcome))
    else if (outcome) {
      const { notes: texts = [], ...found } = outcome
      if (found.what !== 'same') findings.push({ ...(found as Found), place })
      for (const text of texts)
        notes = addNotes(notes, { [`${countedAs(batch.of)}: ${text}`]: { count: 1, examples: [place] } })
    }
  }
  return {
    findings,
    keys: keyed.map(({ key }) => key),
    nameless: read.length - keyed.length,
    compared: keyed.filter(({ value }) => comparison.isCompared(value)).length,
    notes,
  }
}

function unreadableAt(place: string, id: string | null, reason: string): Finding {
  return { what: 'unreadable', id, place, changedThere: null, changedHere: null, fields: [], reason }
}

interface Keyed<Value> {
  readonly item: Item
  readonly key: string
  readonly value: Value
}

interface Compared<Value> {
  readonly given: Keyed<Value>
  /** A text says why the database cannot even compare it: it could not be here. */
  readonly outcome: Found | Remark | string | null
}

/** When the database refuses a value, each half is tried by itself, until the record at fault is found. */
async function compareOrSplit<Value>(
  comparison: Comparison<Value>,
  given: readonly Keyed<Value>[],
): Promise<Compared<Value>[]> {
  if (given.length === 0) return []
  try {
    const outcomes = await comparison.compare(given.map(({ value }) => value))
    return given.map((one, index) => ({ given: one, outcome: outcomes[index]! }))
  } catch (error) {
    if (!isRefusal(error)) throw error
    if (given.length === 1) return [{ given: given[0]!, outcome: reasonOf(error) }]
    const middle = Math.ceil(given.length / 2)
    return [
      ...(await compareOrSplit(comparison, given.slice(0, middle))),
      ...(await compareOrSplit(comparison, given.slice(middle))),
    ]
  }
}
