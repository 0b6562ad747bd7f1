import { type FieldType, sameType } from '../../../values/typed.ts'

/** The types of the fields of an object, by their names. */
export type FieldTypes = ReadonlyMap<string, FieldType>

/** Lets objects that have the same fields share their types: most objects of a class are like the one before. */
export class SharedTypes {
  #last: FieldTypes = new Map()

  /** @returns those of the object before where they are the same, in the same order */
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
