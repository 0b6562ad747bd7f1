import { z } from 'zod'
import { errors } from '../../errors.ts'
import { countJobs, discardJob, JOB_STATES, listJobs, retryJob } from '../../jobs/shown-jobs.ts'
import { ok } from '../call.ts'
import { emptyAnswer } from '../empty-answer.ts'
import { parseBody } from '../parse-body.ts'
import { adminRoute, type Route, type ServerCall } from '../route.ts'

const query = z.object({
  state: z.enum(JOB_STATES).default('failed'),
  before: z.coerce.number().int().min(1).optional().describe('id of a job; only older jobs are returned'),
})
const state = z.enum(JOB_STATES)
const answer = z.object({
  counts: z.array(z.object({ kind: z.string(), state, count: z.int() })),
  jobs: z.array(
    z.object({
      id: z.int(),
      kind: z.string(),
      state,
      appId: z.string().nullable(),
      attempts: z.int(),
      error: z.string().nullable(),
      at: z.string().describe('when it failed finally, or is due'),
    }),
  ),
})

/** Background jobs of all nodes, and the failed ones (docs/operations.md, Health). The payloads of jobs are not shown. */
export const adminJobs: readonly Route[] = [
  adminRoute({
    method: 'GET',
    path: '/admin/jobs',
    need: 'own',
    summary: 'Counts background jobs by kind, and lists those in a state, newest first.',
    query,
    answer,
    handler: async (call) => {
      const { state, before = null } = parseBody(query, call.query)
      const { database } = call.server
      const [counts, jobs] = await Promise.all([countJobs(database), listJobs(database, state, before)])
      return ok({ counts, jobs })
    },
  }),
  adminRoute({
    method: 'POST',
    path: '/admin/jobs/:id/retry',
    need: 'own',
    summary: 'Retries a failed job.',
    answer: emptyAnswer,
    handler: async (call) => {
      if (!(await retryJob(call.server.database, idOf(call)))) throw jobMissing()
      return ok({})
    },
  }),
  adminRoute({
    method: 'DELETE',
    path: '/admin/jobs/:id',
    need: 'own',
    summary: 'Discards a failed job.',
    answer: emptyAnswer,
    handler: async (call) => {
      if (!(await discardJob(call.server.database, idOf(call)))) throw jobMissing()
      return ok({})
    },
  }),
]

function idOf({ params }: ServerCall): number {
  if (!/^\d{1,15}$/.test(params.id!)) throw errors.badArgument('The id of a job must be an integer.')
  return Number(params.id)
}

function jobMissing(): Error {
  return errors.notFound('Failed job not found. It may have been retried or discarded.')
}
