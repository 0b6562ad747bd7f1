import { z } from 'zod'
import { mayDo } from '../../../administrators/administrator.ts'
import { errors } from '../../../errors.ts'
import { ON_CONFLICT } from '../../../import/batch.ts'
import { ENCODINGS } from '../../../import/sources/detect-encoding.ts'
import { parseHours } from '../../../moves/hours.ts'
import { ACTIONS, type Move } from '../../../moves/move.ts'
import { reportForReaders } from '../../../moves/move-report.ts'
import { masterKey, sourceAppId, webAddress } from '../../../moves/source-fields.ts'
import { appOf } from '../../admin-app.ts'
import { ByteBody, ok } from '../../call.ts'
import { dateText } from '../../date-text.ts'
import { emptyAnswer } from '../../empty-answer.ts'
import { parseBody } from '../../parse-body.ts'
import { type AdminCall, adminRoute, type Route, type ServerCall } from '../../route.ts'
import { adminByteRoute } from '../../transfer/admin-byte-route.ts'
import type { ByteRoute } from '../../transfer/byte-route.ts'

const MAX_FILES = 1000
const MAX_BYTES = 2 ** 43
/** More would not be faster, because the rate applies to all of them together. */
const MAX_PARALLEL = 32
const TEXTS = /^(messages|_?[A-Za-z]\w*\.\w+)$/
const HOST = /^[a-z0-9.-]+(:\d{1,5})?(\/[^\s/?#]+)*$/i

/** Becomes the name of a file in a separate folder. */
const fileName = z
  .string()
  .min(1)
  .max(200)
  .refine((name) => !/[/\\\p{Cc}]/u.test(name) && !name.startsWith('.'), 'must be the name of a file, without a folder')
const file = z.strictObject({ name: fileName, size: z.int().min(1).max(MAX_BYTES) }).meta({ id: 'MoveFile' })

const source = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('files'),
      files: z
        .array(file)
        .min(1)
        .max(MAX_FILES)
        .refine(
          (files) => new Set(files.map(({ name }) => name)).size === files.length,
          'must not contain a name twice',
        ),
    }),
    z.strictObject({
      kind: z.literal('app'),
      url: webAddress,
      appId: sourceAppId,
      users: file.optional().describe('an uploaded export with the passwords and session tokens of the users'),
    }),
  ])
  .meta({ id: 'MoveSource' })
const beginning = z.strictObject({ source, masterKey: masterKey.optional() })
const perSecond = z.number().positive().max(1000)
const options = z
  .strictObject({
    onConflict: z.enum(ON_CONFLICT).optional(),
    strict: z.boolean().optional(),
    encoding: z.enum(ENCODINGS).optional().describe('encoding of all texts of files; default: detected for each file'),
    again: z.boolean().optional(),
    rewriteUrls: z.boolean().optional(),
    rewriteFields: z
      .array(z.string().max(300).regex(TEXTS, "must be a field such as Post.cover, or 'messages'"))
      .max(1000)
      .optional()
      .describe('texts in which `rewriteUrls` rewrites URLs; default: all'),
    oldDomains: z
      .array(z.string().max(300).regex(HOST, 'must be a host such as files.example.com'))
      .max(20)
      .optional()
      .describe('former hosts of files, in addition to those in their records'),
    rate: perSecond.optional().describe('maximum requests per second to a running source'),
    parallel: z.int().min(1).max(MAX_PARALLEL).optional().describe('classes read at the same time; default: 1'),
    nightHours: z
      .string()
      .refine((text) => parseHours(text) !== null, 'must be two hours such as 22-6')
      .optional()
      .describe('hours in which `rate` applies, by the clock of the server; at other times `dayRate` applies'),
    dayRate: perSecond.optional().describe('default: a tenth of `rate`; only with `nightHours`'),
    files: z.boolean().optional(),
    filesFrom: webAddress.optional().describe('URL under which the bytes of files are available by their keys'),
    passwords: z.boolean().optional(),
    messages: z.boolean().optional(),
    chatDetails: z.boolean().optional(),
    compareIds: z.boolean().optional(),
    follow: z.boolean().optional().describe('continues to copy new data, and compares ids at the end'),
    until: dateText.optional().describe('when following ends'),
    every: z.int().min(1).max(1000).optional().describe('seconds between two rounds; default: 60'),
    allowManyDeletions: z.boolean().optional(),
    withoutAcl: z.boolean().optional(),
  })
  .refine(({ nightHours, dayRate }) => dayRate === undefined || nightHours !== undefined, {
    path: ['dayRate'],
    error: "requires 'nightHours'",
  })
  .meta({ id: 'MoveOptions' })
const action = z.enum(ACTIONS)
const body = z.strictObject({
  action: action.describe('`try` changes nothing, `bring` copies the data, `verify` compares'),
  options: options.default({}),
  masterKey: masterKey.optional(),
})

const outcome = z
  .object({
    result: z.enum(['complete', 'incomplete', 'failed', 'stopped']),
    text: z.string().describe('output of the command; empty if the caller cannot change the app'),
    report: z
      .looseObject({ kind: z.enum(['brought', 'foretold', 'compared']) })
      .nullish()
      .describe('its sentences are notices: codes with values'),
    failure: z.looseObject({ code: z.string() }).nullish().describe('why the command failed, as a notice'),
    at: z.string(),
    hasRejected: z.boolean(),
  })
  .meta({ id: 'MoveOutcome' })
const progress = z
  .object({
    part: z.string().nullable(),
    done: z.number(),
    total: z.number().nullable(),
    records: z.int(),
    rejected: z.int(),
    since: z.string(),
    followedAt: z.string().optional(),
  })
  .meta({ id: 'MoveProgress' })
const move = z
  .object({
    id: z.string(),
    source,
    hasKey: z.boolean().describe('whether the master key of the source is set'),
    received: z.array(z.int()).nullable(),
    action: action.nullable().describe('the running action'),
    options,
    progress: progress.nullable(),
    outcomes: z.partialRecord(action, outcome),
    createdAt: z.string(),
    changedAt: z.string(),
  })
  .meta({ id: 'Move' })

/** Moves into an app that the server runs, from uploaded files or a running app (docs/moving-in.md, In the console). */
export const adminMoves: readonly Route[] = [
  adminRoute({
    method: 'GET',
    path: '/admin/apps/:appId/moves',
    need: 'see',
    summary: 'Lists the moves of an app, newest first.',
    answer: z.object({ moves: z.array(move) }),
    handler: async (call) => {
      const app = await appOf(call)
      const moves = await call.server.moves.list(app.id)
      return ok({ moves: moves.map((move) => shownTo(call, move)) })
    },
  }),
  adminRoute({
    method: 'POST',
    path: '/admin/apps/:appId/moves',
    need: 'change',
    summary: 'Creates a move and sets its source.',
    body: beginning,
    answer: move,
    handler: async (call) => {
      const app = await appOf(call)
      const { source, masterKey = null } = parseBody(beginning, call.body)
      if (source.kind === 'app' && masterKey === null) throw errors.badArgument("'masterKey' of the source is missing.")
      return ok(await call.server.moves.create(app.id, source, masterKey))
    },
  }),
  adminRoute({
    method: 'GET',
    path: '/admin/apps/:appId/moves/:moveId',
    need: 'see',
    summary: 'Returns the progress and the outcome of a move.',
    answer: move,
    handler: async (call) => ok(shownTo(call, await call.server.moves.find((await appOf(call)).id, idOf(call)))),
  }),
  adminRoute({
    method: 'DELETE',
    path: '/admin/apps/:appId/moves/:moveId',
    need: 'change',
    summary: 'Deletes a move with its files; copied data remains.',
    answer: emptyAnswer,
    handler: async (call) => {
      await call.server.moves.remove((await appOf(call)).id, idOf(call))
      return ok({})
    },
  }),
  adminRoute({
    method: 'POST',
    path: '/admin/apps/:appId/moves/:moveId/begin',
    need: 'change',
    summary: 'Starts or continues to try, bring or verify.',
    body,
    answer: move,
    handler: async (call) => {
      const app = await appOf(call)
      const { action, options, masterKey = null } = parseBody(body, call.body)
      return ok(await call.server.moves.begin(app.id, idOf(call), action, options, masterKey))
    },
  }),
  adminRoute({
    method: 'POST',
    path: '/admin/apps/:appId/moves/:moveId/stop',
    need: 'change',
    summary: 'Stops the running action; it can be continued.',
    answer: move,
    handler: async (call) => ok(await call.server.moves.halt((await appOf(call)).id, idOf(call))),
  }),
  adminRoute({
    method: 'POST',
    path: '/admin/apps/:appId/moves/:moveId/finish',
    need: 'change',
    summary: 'Ends following: copies new data once more, and deletes what was deleted at the source.',
    answer: move,
    handler: async (call) => ok(await call.server.moves.finish((await appOf(call)).id, idOf(call))),
  }),
]

/** Returns a move as shown to this administrator: values of records require permission to change the app. */
function shownTo({ admin: { administrator }, params }: AdminCall, move: Move): Move {
  if (administrator === null || mayDo(administrator, 'change', params.appId)) return move
  const outcomes = Object.entries(move.outcomes).map(([action, one]) => [
    action,
    { ...one, text: '', failure: null, report: one.report ? reportForReaders(one.report) : null },
  ])
  return { ...move, outcomes: Object.fromEntries(outcomes) }
}

const pieceOf = z.object({ name: fileName, offset: z.coerce.number().int().min(0) })
const rejectedOf = z.object({ action: z.enum(ACTIONS), ticket: z.string().optional() })

/**
 * Bytes of moves: uploads pieces of files, and downloads rejected records. Both require `change`, because lines of
 * users contain password hashes.
 */
export const adminMoveBytes: readonly ByteRoute[] = [
  adminByteRoute({
    method: 'PUT',
    path: '/admin/apps/:appId/moves/:moveId/files',
    need: 'change',
    summary: 'Receives a chunk of a file of a move, and returns how many bytes of the file have been received.',
    handler: async (call) => {
      const { name, offset } = parseBody(pieceOf, Object.fromEntries(new URLSearchParams(call.search)))
      const { appId, moveId } = call.params
      return ok({ received: await call.server.moves.receive(appId!, moveId!, name, offset, call.body) })
    },
  }),
  adminByteRoute({
    method: 'GET',
    path: '/admin/apps/:appId/moves/:moveId/rejected',
    need: 'change',
    summary: 'Returns the rejected records of a move, or the differences, as JSON Lines.',
    handler: async (call) => {
      const { action } = parseBody(rejectedOf, Object.fromEntries(new URLSearchParams(call.search)))
      const { bytes, size } = await call.server.moves.rejected(call.params.appId!, call.params.moveId!, action)
      return {
        status: 200,
        headers: {
          'content-type': 'application/x-ndjson',
          'content-length': String(size),
          'content-disposition': `attachment; filename="${action === 'verify' ? 'differences' : 'rejected'}.jsonl"`,
          'x-content-type-options': 'nosniff',
          'cache-control': 'no-store',
        },
        body: new ByteBody(bytes),
      }
    },
  }),
]

function idOf({ params }: ServerCall): string {
  return params.moveId!.slice(0, 100)
}
