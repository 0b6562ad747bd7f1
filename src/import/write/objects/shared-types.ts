import { type FieldType, sameType } from '../../../values/typed.ts'

/** The field types of an object, by field name. */
export type FieldTypes = ReadonlyMap<string, FieldType>

/** Lets consecutive objects with the same fields share their types, because most objects of a class are alike. */
export class SharedTypes {
  #last: FieldTypes = new Map()

  /** @returns the types of the previous object if they are the same, in the same order */
  of(types: FieldTypes): FieldTypes {
    if (!areSame(this.#last, types)) this.#last = types
    return this.#last
  }
}

function areSame(a: FieldTypes, b: FieldTypes): boolean {
  if (a.size !== b.size) return false
  const others = b.entries()
  for (const [name, type] of a) {
    const [otherName, otherType] = others.next().value!
    if (name !== otherName || !sameType(type, otherType)) return false
  }
  return true
}
