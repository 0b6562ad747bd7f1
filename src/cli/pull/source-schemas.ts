import type { HostedClass } from '../../import/forms/form.ts'
import { type Notice, notice } from '../../notices/notice.ts'
import { NoticedError } from '../../notices/noticed-error.ts'
import { BUILT_IN_CLASSES } from '../../objects/classes/built-in-classes.ts'
import { canonicalDate } from '../../values/date.ts'
import { isJsonObject, type Json } from '../../values/json.ts'
import { isClassName, isKeyName } from '../../values/names.ts'
import type { RelationOfClass } from './pull-relation.ts'
import type { SourceApp } from './source-app.ts'

/** The classes of the source. */
export interface Schemas {
  readonly classes: ReadonlyMap<string, HostedClass>
  readonly relations: readonly RelationOfClass[]
  /** Classes that cannot exist here. */
  readonly unknown: readonly Notice[]
}

/** Maximum classes and relations of a source. An app has at most 500 classes of 300 fields, and each takes separate requests. */
const MAX_CLASSES = 10_000
const MAX_RELATIONS = 10_000

/**
 * Reads the classes of the source (protocol/storage, Schemas).
 * @throws as `SourceApp.text`; Error when there are more than an app can have
 */
export async function schemasOf(source: SourceApp): Promise<Schemas> {
  const schemas = Object.entries(await source.object('/1.1/schemas'))
  const isPossible = (name: string) =>
    isClassName(name) && (!name.startsWith('_') || Object.hasOwn(BUILT_IN_CLASSES, name))
  if (schemas.length > MAX_CLASSES)
    throw new NoticedError(notice('sourceClassesTooMany', { classes: schemas.length, maximum: MAX_CLASSES }))
  const classes = schemas.filter(([name]) => isPossible(name))
  const relations = classes.flatMap(([className, schema]) => relationsOf(className, schema))
  if (relations.length > MAX_RELATIONS)
    throw new NoticedError(notice('sourceRelationsTooMany', { relations: relations.length, maximum: MAX_RELATIONS }))
  return {
    classes: new Map(classes.map(([name, schema]) => [name, { schema }])),
    relations: relations.filter(({ field }) => isKeyName(field)),
    unknown: [
      ...schemas.flatMap(([name]) =>
        isPossible(name) ? [] : [notice('classNotHere', { className: name.slice(0, 60) })],
      ),
      ...relations.flatMap(({ className, field }) =>
        isKeyName(field) ? [] : [notice('relationNotHere', { className, field: field.slice(0, 60) })],
      ),
    ],
  }
}

function relationsOf(className: string, schema: Json): Schemas['relations'] {
  return Object.entries(isJsonObject(schema) ? schema : {}).flatMap(([field, column]) => {
    if (!isJsonObject(column) || column.type !== 'Relation') return []
    const { className: targetClass } = column
    return typeof targetClass === 'string' && isClassName(targetClass) ? [{ className, field, targetClass }] : []
  })
}

/** Returns the time of the source, by which its objects are dated. */
export async function timeOf(source: SourceApp): Promise<string> {
  const { iso } = await source.object('/1.1/date')
  const time = typeof iso === 'string' ? canonicalDate(iso) : null
  if (time === null) throw new NoticedError(notice('sourceDateInvalid'))
  return time
}
