import { errors } from '../../errors.ts'
import { countCaller } from '../../objects/access/count-caller.ts'
import { withDatesOf } from '../../objects/cql/dates.ts'
import type { Delete } from '../../objects/cql/delete.ts'
import { findSelected } from '../../objects/cql/find-selected.ts'
import type { Insert } from '../../objects/cql/insert.ts'
import { parseStatement, parseValues, type Statement } from '../../objects/cql/parse-statement.ts'
import type { Update } from '../../objects/cql/update.ts'
import type { Parameters } from '../../objects/query-parameters.ts'
import type { Found } from '../../objects/reading/find.ts'
import { createAll } from '../../objects/writing/create-all.ts'
import { type Call, ok, resultsText, textOf } from '../call.ts'
import { route } from '../route.ts'

/**
 * GET /1.1/cloudQuery — runs a statement of CQL, the query language of the hosted service (protocol/storage, CQL). A
 * write calls the endpoint of its class, so that all its rules apply.
 */
export const cloudQuery = route({
  method: 'GET',
  path: '/1.1/cloudQuery',
  rate: 'queries',
  handler: async (call) => {
    const { cql, pvalues } = call.parameters
    if (typeof cql !== 'string' || cql.trim() === '')
      throw errors.invalidCql("The parameter 'cql', the statement, is missing.")
    const statement = parseStatement(cql, parseValues(pvalues))
    const { results, count } = await perform(call, statement)
    const counted = count === undefined ? '' : `,"count":${count}`
    return ok(resultsText(results, `,"className":"${statement.className}"${counted}`))
  },
})

async function perform(call: Call, statement: Statement): Promise<Found> {
  switch (statement.kind) {
    case 'select':
      return findSelected(call.app.objects, statement, call.parameters.returnACL, call.caller)
    case 'insert':
      return written(await insert(call, statement))
    case 'update':
      return written([await update(call, statement)])
    case 'delete':
      await remove(call, statement)
      return written([])
  }
}

/** Returns the responses of the class endpoints, as JSON texts, in place of the objects of a `select`. */
function written(results: readonly string[]): Found {
  return { results, count: undefined }
}

/** Inserts several rows atomically; classes with special endpoints accept one row at a time. */
async function insert(call: Call, { className, bodies: given }: Insert): Promise<string[]> {
  const { objects } = call.app
  const bodies = await Promise.all(given.map((body) => withDatesOf(objects, className, body)))
  if (bodies.length === 1) return [textOf(await call.dispatch('POST', pathOf(className), {}, bodies[0]))]
  await countCaller(call.app.limits, 'writes', call.caller, bodies.length)
  const created = await createAll(objects, className, bodies, call.caller)
  return created.map(({ id, createdAt }) => JSON.stringify({ objectId: id, createdAt }))
}

async function update(call: Call, statement: Update): Promise<string> {
  const { className, objectId } = statement
  const body = await withDatesOf(call.app.objects, className, statement.body)
  return textOf(await call.dispatch('PUT', pathOf(className, objectId), await conditionOf(call, statement), body))
}

async function remove(call: Call, statement: Delete): Promise<void> {
  const { className, objectId } = statement
  await call.dispatch('DELETE', pathOf(className, objectId), await conditionOf(call, statement), {})
}

async function conditionOf(call: Call, { className, where }: Update | Delete): Promise<Parameters> {
  return where === null ? {} : { where: await withDatesOf(call.app.objects, className, where) }
}

function pathOf(className: string, objectId?: string): string {
  return objectId === undefined ? `/1.1/classes/${className}` : `/1.1/classes/${className}/${objectId}`
}
