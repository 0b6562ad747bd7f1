import type { HostedClass } from '../../import/forms/form.ts'
import { type Notice, notice } from '../../notices/notice.ts'
import { NoticedError } from '../../notices/noticed-error.ts'
import { BUILT_IN_CLASSES } from '../../objects/classes/built-in-classes.ts'
import { canonicalDate } from '../../values/date.ts'
import { isJsonObject, type Json } from '../../values/json.ts'
import { isClassName } from '../../values/names.ts'
import type { RelationOfClass } from './pull-relation.ts'
import type { SourceApp } from './source-app.ts'

/** What the source says of its classes. */
export interface Schemas {
  readonly classes: ReadonlyMap<string, HostedClass>
  readonly relations: readonly RelationOfClass[]
  /** Classes that there cannot be here. */
  readonly unknown: readonly Notice[]
}

/** protocol/storage, Schemas */
export async function schemasOf(source: SourceApp): Promise<Schemas> {
  const schemas = Object.entries(await source.object('/1.1/schemas'))
  const isPossible = (name: string) =>
    isClassName(name) && (!name.startsWith('_') || Object.hasOwn(BUILT_IN_CLASSES, name))
  const classes = schemas.filter(([name]) => isPossible(name))
  return {
    classes: new Map(classes.map(([name, schema]) => [name, { schema }])),
    relations: classes.flatMap(([className, schema]) => relationsOf(className, schema)),
    unknown: schemas.flatMap(([name]) =>
      isPossible(name) ? [] : [notice('classNotHere', { className: name.slice(0, 60) })],
    ),
  }
}

function relationsOf(className: string, schema: Json): Schemas['relations'] {
  return Object.entries(isJsonObject(schema) ? schema : {}).flatMap(([field, column]) => {
    if (!isJsonObject(column) || column.type !== 'Relation') return []
    const { className: targetClass } = column
    return typeof targetClass === 'string' && isClassName(targetClass) ? [{ className, field, targetClass }] : []
  })
}

/** The clock of the source, by which its objects have their times. */
export async function timeOf(source: SourceApp): Promise<string> {
  const { iso } = await source.object('/1.1/date')
  const time = typeof iso === 'string' ? canonicalDate(iso) : null
  if (time === null) throw new NoticedError(notice('sourceDateInvalid'))
  return time
}
