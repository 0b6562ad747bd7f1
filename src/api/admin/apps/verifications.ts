import { z } from 'zod'
import { pathOfKey } from '../../../files/file-key.ts'
import type { VerifyBatch } from '../../../import/verification.ts'
import { beginVerification } from '../../../import/verify/beginning.ts'
import { keysHere } from '../../../import/verify/keys-here.ts'
import { verifyBatch } from '../../../import/verify/verify-batch.ts'
import { appOf } from '../../admin-app.ts'
import { ok } from '../../call.ts'
import { parseBody } from '../../parse-body.ts'
import { adminRoute, type Route } from '../../route.ts'
import { className, item, kindOfRecords, notes } from './imports.ts'
import { baseOf, hostAndPath } from './rewritten-urls.ts'

const MAX_ITEMS = 10_000
const MAX_KEY = 2000

const beginning = z.strictObject({ count: z.array(className).max(1000).default([]) })
const batch = z.strictObject({
  of: kindOfRecords,
  file: z.string().max(1000),
  items: z.array(item).max(MAX_ITEMS),
  share: z.number().min(0).max(1).default(1),
  formerPlaces: z.array(hostAndPath).max(100).optional(),
})
const keys = z.strictObject({ of: kindOfRecords, after: z.string().max(MAX_KEY).nullable().default(null) })

const begun = z.object({
  importedAt: z.string().nullable().describe('when the first import began'),
  objects: z.record(z.string(), z.int()).describe('how many objects each class has'),
})
const verified = z.object({
  findings: z.array(z.looseObject({ what: z.enum(['missing', 'different', 'unreadable']), place: z.string() })),
  keys: z.array(z.string()),
  nameless: z.int().describe('records without an id'),
  compared: z.int().describe('records of which all fields were compared'),
  notes,
})
const keyPage = z.object({
  keys: z.array(z.tuple([z.string(), z.string().nullable()])).describe('each with its creation time'),
  isLast: z.boolean(),
})

/**
 * Compares a source with the stored data, batch by batch (docs/moving-in.md, Verify). The server keeps no state between
 * requests and changes nothing: the client that reads the source sums up the results.
 */
export const adminVerifications: readonly Route[] = [
  adminRoute({
    method: 'POST',
    path: '/admin/apps/:appId/verifications',
    need: 'change',
    summary: 'Starts to compare a source with the app.',
    body: beginning,
    answer: begun,
    handler: async (call) => {
      const app = await appOf(call)
      return ok(await beginVerification(app, parseBody(beginning, call.body).count))
    },
  }),
  adminRoute({
    method: 'POST',
    path: '/admin/apps/:appId/verifications/batches',
    need: 'change',
    summary: 'Compares records with the app.',
    body: batch,
    answer: verified,
    handler: async (call) => {
      const app = await appOf(call)
      const given: VerifyBatch = parseBody(batch, call.body)
      const { formerPlaces: formerHosts = [] } = given
      const base = baseOf(call, app.files.hosts())
      const rewriting =
        base === null || formerHosts.length === 0
          ? null
          : { formerHosts, urlOf: (key: string) => `${base}/${pathOfKey(key)}` }
      return ok(await verifyBatch(app, given, rewriting))
    },
  }),
  // Lists stored keys, so that records missing in the source are found.
  adminRoute({
    method: 'POST',
    path: '/admin/apps/:appId/verifications/keys',
    need: 'change',
    summary: 'Lists the records of the app, to find those that are missing in the source.',
    body: keys,
    answer: keyPage,
    handler: async (call) => {
      const app = await appOf(call)
      const { of, after } = parseBody(keys, call.body)
      return ok(await keysHere(app, of, after))
    },
  }),
]
