import { z } from 'zod'
import { checkClassName } from '../../../../values/names.ts'
import { appOf } from '../../../admin-app.ts'
import { ok } from '../../../call.ts'
import { emptyAnswer } from '../../../empty-answer.ts'
import { adminRoute, type Route } from '../../../route.ts'

const listed = z.object({
  indexes: z.array(
    z.object({
      name: z.string(),
      kind: z.enum(['sorted', 'elements', 'place', 'class']),
      keys: z.array(z.string()),
      unique: z.boolean(),
      madeBy: z.enum(['homeport', 'administrator', 'class']).nullable(),
      madeAt: z.string().nullable(),
      bytes: z.int(),
      uses: z.int(),
      ready: z.boolean(),
      progress: z.number().nullable(),
    }),
  ),
})

/** Indexes of a class with size and usage; they are created by updates of the class (docs/classes.md, Indexes). */
export const adminClassIndexes: readonly Route[] = [
  adminRoute({
    method: 'GET',
    path: '/admin/apps/:appId/classes/:className/indexes',
    need: 'see',
    summary: 'Lists the indexes of a class with their size and how often they were used.',
    answer: listed,
    handler: async (call) => {
      const { objects } = await appOf(call)
      const schema = await objects.classes.find(checkClassName(call.params.className))
      return ok({ indexes: await objects.indexes.details(schema) })
    },
  }),
  adminRoute({
    method: 'DELETE',
    path: '/admin/apps/:appId/classes/:className/indexes/:name',
    need: 'change',
    summary: 'Deletes an index of a class; it is rebuilt if slow queries need it.',
    answer: emptyAnswer,
    handler: async (call) => {
      const { objects } = await appOf(call)
      const schema = await objects.classes.find(checkClassName(call.params.className))
      await objects.indexes.drop(schema, call.params.name!)
      return ok({})
    },
  }),
]
