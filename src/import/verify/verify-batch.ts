import { isRefusal } from '../../database/faults.ts'
import { ApiError, errors } from '../../errors.ts'
import { at, type Notice } from '../../notices/notice.ts'
import { addNotes, countedAs, type Item, messagingTable, type Noted } from '../batch.ts'
import { type Finding, shownKey, type VerifiedBatch, type VerifyBatch } from '../verification.ts'
import { readItems } from '../write/read-items.ts'
import { reasonOf } from '../write/reason.ts'
import { bytesComparison } from './compare-bytes.ts'
import { memberComparison } from './compare-members.ts'
import { messagingComparison } from './compare-messaging.ts'
import { objectComparison } from './compare-objects.ts'
import { valueComparison } from './compare-values.ts'
import type { Comparison, Found, Remark } from './comparison.ts'
import type { Rewriting, VerifyApp } from './verify-app.ts'

/**
 * Compares records of a source with the app without changing anything.
 * @param rewriting null: texts must be unchanged
 * @throws ApiError when the class name is invalid
 */
export async function verifyBatch(
  app: VerifyApp,
  batch: VerifyBatch,
  rewriting: Rewriting | null,
): Promise<VerifiedBatch> {
  switch (batch.of.kind) {
    case 'objects':
      return verified(batch, await objectComparison(app, batch.of.className, batch.share, rewriting))
    case 'relations':
      return verified(batch, await memberComparison(app, batch.of))
    case 'files':
      return verified(batch, bytesComparison(app))
    case 'messaging':
      return verified(batch, messagingComparison(app, messagingTable(batch.of.className)!, rewriting))
    case 'statistics':
      return verified(batch, valueComparison(app, batch.of))
    case 'boards':
    case 'inboxes':
    case 'ids':
      throw errors.badArgument("'of' must be records.")
  }
}

async function verified<Value>(batch: VerifyBatch, comparison: Comparison<Value>): Promise<VerifiedBatch> {
  const { read, refused } = await readItems(
    batch.items,
    (text) => comparison.read(text),
    batch.of.kind === 'objects' ? undefined : 'repaired',
  )
  const locationOf = ({ at }: Item) => `${batch.file}:${at}`
  const values = read.map(({ value }) => value)
  const prepared = (await comparison.prepare?.(values)) ?? values
  const findings: Finding[] = refused.map(({ item, reason }) => unreadableAt(locationOf(item), null, reason))
  const keyed: Keyed<Value>[] = []
  for (const [index, { item }] of read.entries()) {
    const value = prepared[index]!
    if (value instanceof ApiError) findings.push(unreadableAt(locationOf(item), null, value.notice))
    else keyed.push({ item, keys: comparison.keysOf(value), value })
  }
  const named = keyed.filter(({ keys }) => keys.length > 0)
  const noted: Noted[] = []
  for (const { given, outcome } of await compareOrSplit(comparison, named)) {
    const location = locationOf(given.item)
    if (outcome && 'code' in outcome) findings.push(unreadableAt(location, shownKey(given.keys[0]!), outcome))
    else if (outcome) {
      const { notes = [], ...found } = outcome
      if (found.what !== 'same') findings.push({ ...(found as Found), place: location })
      for (const note of notes) noted.push({ notice: at(countedAs(batch.of), note), count: 1, examples: [location] })
    }
  }
  return {
    findings,
    keys: named.flatMap(({ keys }) => keys),
    nameless: keyed.length - named.length,
    compared: named.filter(({ value }) => comparison.isCompared(value)).length,
    notes: addNotes({}, noted),
  }
}

function unreadableAt(place: string, id: string | null, reason: Notice): Finding {
  return { what: 'unreadable', id, place, changedThere: null, changedHere: null, fields: [], reason }
}

interface Keyed<Value> {
  readonly item: Item
  readonly keys: readonly string[]
  readonly value: Value
}

interface Compared<Value> {
  readonly given: Keyed<Value>
  /** A notice tells why the database rejects the record in the comparison: it cannot exist here. */
  readonly outcome: Found | Remark | Notice | null
}

/**
 * Compares records together. When the database rejects a value, each half is compared separately until the invalid record is
 * found.
 */
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
