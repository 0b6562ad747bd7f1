import { type Notice, notice } from '../notices/notice.ts'
import { builtInField } from '../objects/classes/built-in-classes.ts'
import { ownMember } from '../values/json.ts'
import type { WantedClass, WantedIndex } from './hosted-schema.ts'
import type { ShownClass } from './shown-class.ts'

const SYSTEM_COLUMNS = new Set(['objectId', 'createdAt', 'updatedAt'])

/** Formats an index as the management API lists it. */
export function shownIndex({ fields, unique }: WantedIndex): string {
  return `${unique ? 'unique ' : ''}${fields.join(',')}`
}

/**
 * Returns why an index of the hosted service cannot be built. The hosted service creates indexes over columns that a class may
 * lack.
 * @param here the current class; undefined when it is new
 * @returns null when the index can be built
 */
export function withoutCounterpart(
  className: string,
  index: WantedIndex,
  wanted: WantedClass,
  here: ShownClass | undefined,
): Notice | null {
  for (const key of index.fields) {
    const column = key.replace(/^-/, '')
    if (SYSTEM_COLUMNS.has(column)) continue
    const type =
      (here && ownMember(here.fields, column))?.type ??
      ownMember(wanted.fields, column)?.type ??
      builtInField(className, column)?.type
    // A column with an index exists.
    if (type === undefined && here?.indexes.some((one) => columnsOf(one).includes(column))) continue
    if (type === undefined) return notice('indexWithoutColumn', { index: shownIndex(index), field: column })
    if (type === 'Relation') return notice('indexOfRelation', { index: shownIndex(index), field: column })
    if (type === 'GeoPoint') return notice('indexOfGeoPoint', { index: shownIndex(index), field: column })
  }
  return null
}

function columnsOf(listed: string): readonly string[] {
  return listed
    .replace(/^unique /, '')
    .split(',')
    .map((key) => key.replace(/^-/, ''))
}
