import { z } from 'zod'
import { MAX_IDS } from '../../../import/pulled.ts'
import { findDifferences, findMissing, removeMissing } from '../../../import/write/remove-missing.ts'
import { showBoard } from '../../../leaderboards/board.ts'
import { parseBoard } from '../../../leaderboards/board-body.ts'
import { importBoard } from '../../../leaderboards/import-board.ts'
import { canonicalDate } from '../../../values/date.ts'
import { isJsonObject, type JsonObject } from '../../../values/json.ts'
import { isClassName, isObjectId } from '../../../values/names.ts'
import { appOf } from '../../admin-app.ts'
import { ok } from '../../call.ts'
import { parseBody } from '../../parse-body.ts'
import { adminRoute, type Route } from '../../route.ts'

const part = z
  .strictObject({
    source: z.string().min(1).max(300),
    className: z.string().refine(isClassName, 'must be the name of a class'),
    field: z.string().min(1).max(128).nullable(),
  })
  .meta({ id: 'PulledPart' })
const objectId = z.string().refine(isObjectId, 'must be an object id')
const pulledId = z.strictObject({ owningId: objectId.nullable(), id: objectId }).meta({ id: 'PulledId' })
const ids = z.array(pulledId).max(MAX_IDS)
const missingBody = z.strictObject({ part, most: z.int().min(1).max(MAX_IDS) })
const compared = z.strictObject({ part })
const removals = z.strictObject({ part, gone: ids, found: ids })

/** A leaderboard as returned by a source, with dates in its format. */
const board = z.looseObject({
  version: z
    .int()
    .min(0)
    .max(2 ** 31 - 1),
  activatedAt: z.unknown(),
  expiredAt: z.unknown(),
})

/** Comparison of the records brought by pulls with what their sources still have (docs/moving-in.md, How it works). */
export const adminPulls: readonly Route[] = [
  adminRoute({
    method: 'POST',
    path: '/admin/apps/:appId/pulls/differences',
    need: 'change',
    summary: 'Compares the objects seen by a pull with the objects of the app.',
    body: compared,
    answer: z.object({ missing: z.int(), known: z.int() }),
    handler: async (call) => ok(await findDifferences(await appOf(call), parseBody(compared, call.body).part)),
  }),
  adminRoute({
    method: 'POST',
    path: '/admin/apps/:appId/pulls/missing',
    need: 'change',
    summary: 'Lists objects of the app that are no longer in the source.',
    body: missingBody,
    answer: z.object({ missing: ids }),
    handler: async (call) => {
      const { part, most } = parseBody(missingBody, call.body)
      return ok({ missing: await findMissing(await appOf(call), part, most) })
    },
  }),
  adminRoute({
    method: 'POST',
    path: '/admin/apps/:appId/pulls/removals',
    need: 'change',
    summary: 'Deletes objects that are no longer in the source.',
    body: removals,
    answer: z.object({ removed: z.int(), kept: z.array(z.string()) }),
    handler: async (call) => {
      const { part, gone, found } = parseBody(removals, call.body)
      return ok(await removeMissing(await appOf(call), part, gone, found))
    },
  }),
  adminRoute({
    method: 'PUT',
    path: '/admin/apps/:appId/pulls/boards',
    need: 'change',
    summary: 'Creates a leaderboard like that of the source.',
    body: board,
    answer: z.looseObject({ statisticName: z.string() }),
    handler: async (call) => {
      const { version, activatedAt, expiredAt, ...given } = parseBody(board, call.body)
      const { leaderboards } = await appOf(call)
      const as = {
        version,
        activatedAt: dateOf(activatedAt) ?? new Date().toISOString(),
        expiredAt: dateOf(expiredAt),
      }
      return ok(showBoard(await importBoard(leaderboards, parseBoard(given as JsonObject), as)))
    },
  }),
]

/** @returns null for a missing or invalid date */
function dateOf(value: unknown): string | null {
  const text = isJsonObject(value) ? value.iso : value
  return typeof text === 'string' ? canonicalDate(text) : null
}
