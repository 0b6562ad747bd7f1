import { type FieldType, sameType } from '../../../values/typed.ts'
import type { PackedObjects } from './packed-objects.ts'

interface Counted {
  readonly type: FieldType
  count: number
}

/**
 * Returns the most frequent type of each field that has values of several types. Rejecting the others loses the fewest records,
 * whatever order they have. Of equally frequent types, String is the last: sources write values of any type as texts, but no text
 * as a value of another type.
 */
export function mostFrequentTypes({
  types,
  typesOf,
}: Pick<PackedObjects, 'types' | 'typesOf'>): ReadonlyMap<string, FieldType> {
  const fields = new Map<string, Counted[]>()
  const counts = new Uint32Array(types.length)
  for (const index of typesOf) counts[index]!++
  for (const [index, set] of types.entries()) {
    for (const [name, type] of set) {
      const counted = fields.get(name) ?? []
      const same = counted.find((one) => sameType(one.type, type))
      if (same) same.count += counts[index]!
      else fields.set(name, [...counted, { type, count: counts[index]! }])
    }
  }
  return new Map([...fields].flatMap(([name, counted]) => (counted.length > 1 ? [[name, firstOf(counted)]] : [])))
}

function firstOf(counted: readonly Counted[]): FieldType {
  const [most] = [...counted].sort((a, b) => b.count - a.count || Number(isText(a)) - Number(isText(b)))
  return most!.type
}

function isText({ type }: Counted): boolean {
  return type.type === 'String'
}
