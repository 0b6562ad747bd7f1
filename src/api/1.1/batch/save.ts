import { errors } from '../../../errors.ts'
import { classOfPath } from '../../../objects/classes/built-in-classes.ts'
import { asParameters } from '../../../objects/query-parameters.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../values/json.ts'
import { type Call, ok, textOf } from '../../call.ts'
import { typedFields } from '../../request-fields.ts'
import { route } from '../../route.ts'

const MAX_ITEMS = 5000

interface Saved {
  readonly className: string
  readonly answer: Record<string, Json>
}

/**
 * POST /1.1/batch/save — saves a graph of objects whose new members refer to each other by temporary ids, children
 * first (protocol/conventions, Batch save). The response is keyed by those ids. The first failure ends the request;
 * objects saved before it stay.
 */
export const batchSave = route({
  method: 'POST',
  path: '/1.1/batch/save',
  // The items are counted separately.
  rate: null,
  inBatch: false,
  handler: async (call) => {
    const { requests } = typedFields(call.parameters, { requests: 'json' })
    if (!Array.isArray(requests)) {
      throw errors.malformedJson("The body of a batch needs 'requests', an array.")
    }
    if (requests.length > MAX_ITEMS) throw errors.badArgument(`A batch must have at most ${MAX_ITEMS} requests.`)
    const saved = new Map<string, Saved>()
    for (const [index, request] of requests.entries()) await save(call, request, index, saved)
    return ok(Object.fromEntries([...saved].map(([internalId, { answer }]) => [internalId, answer])))
  },
})

async function save(call: Call, request: unknown, index: number, saved: Map<string, Saved>): Promise<void> {
  if (
    !isJsonObject(request) ||
    typeof request.method !== 'string' ||
    typeof request.path !== 'string' ||
    !isJsonObject(request.body)
  ) {
    throw errors.badArgument(`Request ${index} needs 'method', 'path' and 'body'.`)
  }
  const { __internalId: internalId, __children: children, ...fields } = request.body
  if (typeof internalId !== 'string' || internalId === '')
    throw errors.badArgument(`Request ${index} must have '__internalId' in its body.`)
  const query = { ...asParameters(request.params), ...(request.new === true && { new: true }) }
  // The Swift SDK sends a known device by POST, with its existing id (protocol/push, Saving an installation).
  const known = classOf(request.path) === '_Installation' ? { objectId: internalId } : {}
  const body = { ...fields, ...pointersTo(children, saved, index), ...known }
  const earlier = saved.get(internalId)
  // A further request for an object that this batch has created updates it. The Objective-C SDK sends PUT to the path
  // of the class, because the object had no id when the request was built.
  const isFurther = earlier !== undefined && isCollection(call, request.path)
  const path = isFurther ? objectPath(request.path, String(earlier.answer.objectId)) : request.path
  const method = isFurther ? 'PUT' : request.method.toUpperCase()
  const answer = JSON.parse(textOf(await call.dispatch(method, path, query, body))) as Record<string, Json>
  saved.set(internalId, { className: classOf(request.path), answer: { ...earlier?.answer, ...answer } })
}

/** Returns the pointers to children saved earlier: `{className, cid, key}` sets the field `key`. */
function pointersTo(children: Json | undefined, saved: ReadonlyMap<string, Saved>, index: number): JsonObject {
  if (children === undefined || children === null) return {}
  if (!Array.isArray(children)) throw errors.badArgument(`'__children' of request ${index} must be an array.`)
  return Object.fromEntries(
    children.map((child: Json) => {
      const target = isJsonObject(child) && typeof child.cid === 'string' ? saved.get(child.cid) : undefined
      if (!isJsonObject(child) || !target || typeof child.key !== 'string') {
        throw errors.badArgument(
          `'__children' of request ${index} must contain only objects that earlier requests have saved.`,
        )
      }
      const className = typeof child.className === 'string' ? child.className : target.className
      return [child.key, { __type: 'Pointer', className, objectId: target.answer.objectId! }]
    }),
  )
}

/** Returns whether objects are created at a path, and updated at the same path followed by their id. */
function isCollection(call: Call, path: string): boolean {
  const created = call.endpointAt('POST', path)
  const changed = call.endpointAt('PUT', objectPath(path, 'id'))
  return created !== null && changed?.route.path === `${created.route.path}/:objectId`
}

function objectPath(collection: string, objectId: string): string {
  return `${collection}${collection.endsWith('/') ? '' : '/'}${objectId}`
}

function classOf(path: string): string {
  const [, , collection, className] = path.split('/')
  if (collection === 'users') return '_User'
  if (collection === 'roles') return '_Role'
  if (collection === 'files') return '_File'
  if (collection === 'installations') return '_Installation'
  return classOfPath(className ?? '')
}
