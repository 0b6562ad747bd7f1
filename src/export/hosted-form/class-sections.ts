import type pg from 'pg'
import { sql } from '../../database/sql.ts'
import { isBuiltIn } from '../../objects/classes/built-in-classes.ts'
import type { ClassSchema } from '../../objects/classes/class-schema.ts'
import { relationValue } from '../../objects/classes/class-schema.ts'
import type { Field } from '../../objects/classes/field.ts'
import type { ObjectStore } from '../../objects/store.ts'
import { objectBatches, relationBatches } from '../rows.ts'
import type { Section } from './section.ts'

/** Returns the sections of a class: its objects in the order of their ids, and the members of its relations. */
export function classSections(store: ObjectStore, client: pg.Client, schema: ClassSchema): Section[] {
  const relations = schema.relationFields.map((field) => relationSection(store, client, schema, field))
  return [objectSection(store, client, schema), ...relations]
}

function objectSection(store: ObjectStore, client: pg.Client, schema: ClassSchema): Section {
  const { name } = schema
  return {
    name: `1 ${name}`,
    fileOf: (part) => `${name}.${part}.jsonl`,
    comment: { type: 'Class', class: name },
    optional: isBuiltIn(name),
    async *records(after) {
      const rest = after ? sql`id > ${after[0]!}` : sql`TRUE`
      for await (const { lines, last } of objectBatches(
        client,
        schema,
        store.rules.get(name),
        sql`${rest} ORDER BY id`,
      ))
        yield { text: lines, last: [last.id] }
    },
  }
}

function relationSection(store: ObjectStore, client: pg.Client, schema: ClassSchema, field: Field): Section {
  const target = relationValue(field).className
  return {
    name: `2 ${schema.name}.${field.name}`,
    fileOf: (part) => `${schema.name}.${field.name}.relation.${part}.jsonl`,
    comment: { type: 'Relation', class: schema.name, field: field.name, target },
    optional: true,
    async *records(after) {
      const rest = after ? sql`(owner_id, related_id) > (${after[0]!}, ${after[1]!})` : sql`TRUE`
      const condition = sql`${rest} ORDER BY owner_id, related_id`
      for await (const { lines, last } of relationBatches(client, store.relations, schema, field.name, condition))
        yield { text: lines, last: [last.owner_id, last.related_id] }
    },
  }
}
