import { ApiError, errors } from '../../../errors.ts'
import { notice } from '../../../notices/notice.ts'
import type { ClassSchema } from '../../../objects/classes/class-schema.ts'
import { typeConflict } from '../../../objects/classes/field-options.ts'
import { MAX_FIELDS } from '../../../objects/classes/stored-classes.ts'
import type { ObjectStore } from '../../../objects/store.ts'
import { type FieldType, takes } from '../../../values/typed.ts'
import type { ImportedObject } from './parse-object.ts'
import type { FieldTypes } from './shared-types.ts'

/** Another request has added the field with a different type meanwhile. */
const INCORRECT_TYPE = 111
const NONE_PREFERRED: ReadonlyMap<string, FieldType> = new Map()

/** Maximum attempts to settle the types when other requests change the class at the same time. */
const ATTEMPTS = 5

/** The objects that match the fields of their class, and those that do not. */
export interface Fitting<Given> {
  readonly fitting: readonly Given[]
  readonly unfit: readonly { readonly given: Given; readonly error: ApiError }[]
  /** null in a dry run for a class that does not exist yet */
  readonly schema: ClassSchema | null
}

/**
 * Selects the objects whose values match the field types of the class, and adds missing fields to it with the types of the first
 * object that has them. New fields and classes are not counted against the limits of clients.
 * @param dryRun nothing is created
 * @param preferred types for new fields that take precedence over those of the first object
 * @throws ApiError 103, 154 when the class cannot exist
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
    // Built-in classes cannot be created.
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

/** Returns the class if its fields already match all objects; null if it does not exist or would have to change. */
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
    // Objects that share the same types also match.
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
