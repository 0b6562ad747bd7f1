import { z } from 'zod'
import { errors } from '../../../errors.ts'
import { type Batch, BOARDS, type ImportState, INBOXES, ON_CONFLICT } from '../../../import/batch.ts'
import { partsOfLines } from '../../../import/batch-lines.ts'
import { finishClass } from '../../../import/write/finish.ts'
import {
  beginImport,
  endImport,
  findImport,
  findRejected,
  forgetImport,
  type ImportKey,
  listImports,
} from '../../../import/write/import-table.ts'
import { MisplacedBatch, writeBatch } from '../../../import/write/write-batch.ts'
import { MOVED_TABLES } from '../../../messaging/moved-tables.ts'
import { isNotice, type Notice } from '../../../notices/notice.ts'
import { parseJson } from '../../../values/json.ts'
import { isClassName } from '../../../values/names.ts'
import { appOf } from '../../admin-app.ts'
import { ok, RawBody } from '../../call.ts'
import { parseBody } from '../../parse-body.ts'
import { adminRoute, type Route, type ServerCall } from '../../route.ts'

const importId = /^[0-9a-f]{64}$/
export const className = z.string().refine(isClassName, 'must be the name of a class')
const position = z
  .strictObject({ entry: z.int().min(0).max(1_000_000), record: z.int().min(0) })
  .meta({ id: 'ImportPosition' })
const beginning = z.strictObject({ source: z.string().min(1).max(1000), again: z.boolean().default(false) })
/** Media type of batches sent as lines, whose records are parsed in threads. */
const LINES = 'application/x-ndjson'
/** Versions are 4-byte integers. */
const MAX_VERSIONS = 2 ** 31 - 1
const finished = z.strictObject({ classes: z.array(className).max(1000) })
/** The kind of a batch's records, for kinds that can be compared with stored data. */
export const kindOfRecords = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('objects'), className }),
    z.strictObject({
      kind: z.literal('relations'),
      className,
      field: z.string().max(128),
      targetClass: className.nullable(),
    }),
    z.strictObject({ kind: z.literal('files'), className: z.literal('_File') }),
    z.strictObject({
      kind: z.literal('messaging'),
      className: z.enum(MOVED_TABLES.map((name) => `messaging-${name}` as const)),
    }),
    z.strictObject({
      kind: z.literal('statistics'),
      className,
      board: z.string().min(1).max(100),
      version: z.int().min(0).max(MAX_VERSIONS),
    }),
  ])
  .meta({ id: 'RecordKind' })
/** A code of the catalog with its values. */
const noticeGiven = z
  .looseObject({ code: z.string().max(100) })
  .refine(isNotice, 'must be a notice: a code with values, of at most 4000 characters')
  .transform((given) => given as Notice)
export const item = z
  .strictObject({
    at: z.int().min(0),
    text: z.string(),
    notes: z.array(noticeGiven).max(20).optional(),
    reason: noticeGiven.optional(),
  })
  .meta({ id: 'ImportItem' })
const MAX_ITEMS = 10_000
const head = z.strictObject({
  of: z.discriminatedUnion('kind', [
    kindOfRecords,
    z.strictObject({ kind: z.literal('boards'), className: z.literal(BOARDS) }),
    z.strictObject({ kind: z.literal('inboxes'), className: z.literal(INBOXES) }),
    z.strictObject({ kind: z.literal('ids'), className, field: z.string().max(128).nullable() }),
  ]),
  file: z.string().max(1000),
  from: position,
  to: position,
  onConflict: z.enum(ON_CONFLICT),
  strict: z.boolean().optional(),
  mark: z.string().max(4000).optional(),
  source: z.string().min(1).max(300).optional(),
  dryRun: z.boolean(),
})
const batch = head.extend({ items: z.array(item).max(MAX_ITEMS) })

const counts = z
  .object({
    read: z.int(),
    created: z.int(),
    updated: z.int(),
    existing: z.int().describe('left unchanged'),
    rejected: z.int(),
  })
  .meta({ id: 'ImportCounts' })
/** How parsing has changed the records. */
export const notes = z.unknown()
const rejected = z
  .looseObject({
    className: z.string(),
    field: z.string().nullable(),
    place: z.string().describe('file and line'),
    text: z.string(),
  })
  .meta({ id: 'RejectedRecord' })
const importState = z
  .object({
    id: z.string(),
    source: z.string(),
    place: position,
    mark: z.string().nullable(),
    isDone: z.boolean(),
    counts: z.record(z.string(), counts),
    notes,
  })
  .meta({ id: 'ImportState' })

/** Imports of data into an app, batch by batch (docs/moving-in.md, How it works). */
export const adminImports: readonly Route[] = [
  adminRoute({
    method: 'GET',
    path: '/admin/apps/:appId/imports',
    need: 'see',
    summary: 'Lists the imports of an app.',
    answer: z.object({ imports: z.array(importState) }),
    handler: async (call) => {
      const app = await appOf(call)
      return ok({ imports: await listImports(app.objects.database, app.id) })
    },
  }),
  adminRoute({
    method: 'PUT',
    path: '/admin/apps/:appId/imports/:importId',
    need: 'change',
    summary: 'Starts an import, or returns its progress.',
    body: beginning,
    answer: importState,
    handler: async (call) => {
      const { source, again } = parseBody(beginning, call.body)
      const app = await appOf(call)
      const key = keyOf(call)
      if (again) await forgetImport(app.objects.database, key)
      return ok(await beginImport(app.objects.database, key, source))
    },
  }),
  adminRoute({
    method: 'GET',
    path: '/admin/apps/:appId/imports/:importId',
    need: 'see',
    summary: 'Returns the progress of an import.',
    answer: importState,
    handler: async (call) => {
      const app = await appOf(call)
      return ok(found(await findImport(app.objects.database, keyOf(call))))
    },
  }),
  // Returns the place reached; a batch that does not begin there changes nothing. Batches are not audited, because the
  // audit log records the beginning and the end of the import.
  adminRoute({
    method: 'POST',
    path: '/admin/apps/:appId/imports/:importId/batches',
    need: 'change',
    takesBytes: (contentType) => contentType === LINES,
    audited: false,
    summary: 'Writes the next batch of an import, together with its position.',
    body: batch,
    answer: z.union([
      z.object({ place: position, counts, rejected: z.array(rejected), notes }),
      z.object({ misplaced: z.literal(true), place: position }),
    ]),
    handler: async (call) => {
      const app = await appOf(call)
      const given: Batch = call.body instanceof RawBody ? batchOfLines(call.body.bytes) : parseBody(batch, call.body)
      try {
        return ok(await writeBatch(app, call.server.imports, keyOf(call).importId, given))
      } catch (error) {
        if (!(error instanceof MisplacedBatch)) throw error
        return ok({ misplaced: true, place: error.state.place })
      }
    },
  }),
  adminRoute({
    method: 'POST',
    path: '/admin/apps/:appId/imports/:importId/end',
    need: 'change',
    summary: 'Marks an import as finished.',
    answer: importState,
    handler: async (call) => {
      const app = await appOf(call)
      const key = keyOf(call)
      await endImport(app.objects.database, key)
      return ok(found(await findImport(app.objects.database, key)))
    },
  }),
  // Requires `change`, because lines of users contain password hashes.
  adminRoute({
    method: 'GET',
    path: '/admin/apps/:appId/imports/:importId/rejected',
    need: 'change',
    summary: 'Lists rejected lines with their reasons.',
    answer: z.object({ rejected: z.array(rejected), last: z.int().describe('number of the last one') }),
    handler: async (call) => {
      const app = await appOf(call)
      const after = Number(call.query.after ?? 0)
      if (!Number.isSafeInteger(after) || after < 0)
        throw errors.badArgument("'after' must be the number of a rejected record.")
      return ok(await findRejected(app.objects.database, keyOf(call), after))
    },
  }),
  adminRoute({
    method: 'POST',
    path: '/admin/apps/:appId/imports/finish',
    need: 'change',
    summary: 'Builds the indexes that classes need after an import, and counts their objects.',
    body: finished,
    answer: z.object({ objects: z.record(z.string(), z.int()) }),
    handler: async (call) => {
      const app = await appOf(call)
      const { classes } = parseBody(finished, call.body)
      const objects: Record<string, number> = {}
      for (const name of classes) {
        const schema = await app.objects.classes.lookUp(name)
        if (schema) objects[name] = await finishClass(app, schema)
      }
      return ok({ objects })
    },
  }),
]

/** @throws ApiError 1, 107 that says what is wrong */
function batchOfLines(bytes: Buffer): Batch {
  const parts = partsOfLines(bytes, MAX_ITEMS, (text) => parseBody(item, parseJson(text, 'A line of the batch')))
  if (!parts) throw errors.badArgument(`A batch must have a header line and at most ${MAX_ITEMS} lines of records.`)
  return {
    ...parseBody(head, parseJson(parts.head, 'The first line of the batch')),
    items: parts.items,
  }
}

function keyOf({ params }: ServerCall): ImportKey {
  if (!importId.test(params.importId!)) throw errors.badArgument('The id of an import must have 64 hexadecimal digits.')
  return { appId: params.appId!, importId: params.importId! }
}

function found(state: ImportState | null): ImportState {
  if (!state) throw errors.notFound('Import not found.')
  return state
}
