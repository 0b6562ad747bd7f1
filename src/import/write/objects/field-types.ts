import { ApiError, errors } from '../../../errors.ts'
import { notice } from '../../../notices/notice.ts'
import type { ClassSchema } from '../../../objects/classes/class-schema.ts'
import { typeConflict } from '../../../objects/classes/field-options.ts'
import { MAX_FIELDS } from '../../../objects/classes/stored-classes.ts'
import type { ObjectStore } from '../../../objects/store.ts'
import { type FieldType, takes } from '../../../values/typed.ts'
import type { ImportedObject } from './parse-object.ts'
import type { FieldTypes } from './shared-types.ts'

/** A field has got another type meanwhile. */
const INCORRECT_TYPE = 111
const NONE_PREFERRED: ReadonlyMap<string, FieldType> = new Map()

/** How often the types are settled anew when others write to the class too. */
const ATTEMPTS = 5

/** Objects that fit the fields of their class, and those that do not. */
export interface Fitting<Given> {
  readonly fitting: readonly Given[]
  readonly unfit: readonly { readonly given: Given; readonly error: ApiError }[]
  /** null in a dry run for a class that there is not yet */
  readonly schema: ClassSchema | null
}

/**
 * Chooses the objects whose values have the types that the fields of the class have, and gives it those fields that it lacks:
 * their types are those of the first object that has them. Neither new fields nor a new class count as a client's.
 * @param dryRun nothing is registered
 * @param preferred types that the class is given in place of those of the first object, where it lacks the field
 * @throws ApiError 103, 154 when there can be no such class
 */
export async function fitToClass<Given extends { readonly object: Pick<ImportedObject, 'types'> }>(
  store: ObjectStore,
  className: string,
  given: readonly Given[],
  dryRun: boolean,
  preferred: ReadonlyMap<string, FieldType> = NONE_PREFERRED,
): Promise<Fitting<Given>> {
  for (let attempt = 1; ; attempt++) {
    const schema = dryRun ? await store.classes.lookUp(className) : await store.classes.ensureClass(className)
    // An app has no other built-in classes than those that it has.
    if (!schema && className.startsWith('_')) throw errors.invalidClassName(className)
    const { fitting, unfit, added } = sort(schema, given, preferred)
    if (dryRun || added.size === 0) return { fitting, unfit, schema: schema ?? null }
    try {
      return { fitting, unfit, schema: await store.classes.ensureFields(className, added) }
    } catch (error) {
      const isOvertaken = error instanceof ApiError && error.code === INCORRECT_TYPE
      if (!isOvertaken || attempt === ATTEMPTS) throw error
      await store.classes.refresh()
    }
  }
}

/** The class whose fields have the types of all these objects already; null where there is none, or something is to be changed. */
export async function knownToFit(
  store: ObjectStore,
  className: string,
  given: readonly { readonly object: Pick<ImportedObject, 'types'> }[],
): Promise<ClassSchema | null> {
  const schema = await store.classes.lookUp(className)
  if (!schema) return null
  const { unfit, added } = sort(schema, given)
  return unfit.length === 0 && added.size === 0 ? schema : null
}

function sort<Given extends { readonly object: Pick<ImportedObject, 'types'> }>(
  schema: ClassSchema | undefined,
  given: readonly Given[],
  preferred = NONE_PREFERRED,
) {
  const added = new Map([...preferred].filter(([name]) => !schema?.fields.has(name)))
  const fitting: Given[] = []
  const unfit: { given: Given; error: ApiError }[] = []
  const known = schema?.fields.size ?? 0
  let last: FieldTypes | null = null
  for (const one of given) {
    // What fits once fits again.
    if (one.object.types === last) {
      fitting.push(one)
      continue
    }
    const error = misfit(schema, added, known, one.object.types)
    if (error) {
      unfit.push({ given: one, error })
      continue
    }
    fitting.push(one)
    last = one.object.types
    for (const [name, type] of one.object.types) if (!schema?.fields.has(name)) added.set(name, type)
  }
  return { fitting, unfit, added }
}

function misfit(
  schema: ClassSchema | undefined,
  added: ReadonlyMap<string, FieldType>,
  known: number,
  types: FieldTypes,
): ApiError | null {
  let fresh = 0
  for (const [name, type] of types) {
    const expected = schema?.fields.get(name)?.type ?? added.get(name)
    if (!expected) fresh++
    else if (!takes(expected, type)) return typeConflict(name, expected, type) as ApiError
  }
  if (fresh > 0 && known + added.size + fresh > MAX_FIELDS)
    return errors.thresholdExceeded(notice('tooManyFields', { maximum: MAX_FIELDS }))
  return null
}
