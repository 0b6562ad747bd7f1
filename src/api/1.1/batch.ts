import { setImmediate as nextTurn } from 'node:timers/promises'
import { errors } from '../../errors.ts'
import { countCaller } from '../../objects/access/count-caller.ts'
import { asParameters, type Parameters } from '../../objects/query-parameters.ts'
import { createObjects } from '../../objects/writing/create.ts'
import { emptyAsObject, isJsonObject, type JsonObject } from '../../values/json.ts'
import { checkClassName } from '../../values/names.ts'
import { type Answer, type Call, JsonText, ok, textOf } from '../call.ts'
import { failure } from '../failure.ts'
import { asTextual, mergedParameters, parametersOfText } from '../parameters.ts'
import { typedFields } from '../request-fields.ts'
import { route } from '../route.ts'
import { CLASS_PATH } from './classes.ts'

/** protocol/storage, Endpoints recommends at most 100 items; this maximum bounds the work of a body of 20 MB. */
const MAX_ITEMS = 5000

/** Maximum number of reads among them: each response can be as large as that of a single request. */
const MAX_READS = 1000

/** Once the responses exceed this total length in characters, the remaining items fail. */
const MAX_ANSWER = 24 * 1024 * 1024

/** Maximum number of creates that are prepared without a pause: about 10 ms. */
const MAX_TOGETHER = 500

/** Milliseconds after which the event loop serves other requests, even when no item waits for I/O. */
const SLICE = 10

interface Item {
  readonly method: string
  readonly path: string
  readonly query: Parameters
  readonly body: unknown
}

/**
 * POST /1.1/batch — runs several operations in the order sent, each independently (protocol/conventions, Batch). The
 * response has a `success` or an `error` for each item.
 */
export const batch = route({
  method: 'POST',
  path: '/1.1/batch',
  // The items are counted separately.
  rate: null,
  inBatch: false,
  handler: async (call) => {
    const items = parseItems(typedFields(call.parameters, { requests: 'json' }))
    const results: string[] = []
    let size = 0
    let began = performance.now()
    while (results.length < items.length && size <= MAX_ANSWER) {
      const run = plainCreates(call, items, results.length)
      const done = run ? await createTogether(call, run) : [await perform(call, items[results.length]!)]
      for (const text of done) size += text.length
      results.push(...done)
      if (performance.now() - began < SLICE) continue
      await nextTurn()
      began = performance.now()
    }
    const left = items.slice(results.length)
    if (left.length > 0) {
      const text = failed(
        call,
        errors.badArgument('The responses of the batch exceed 24 MB: send this request in another batch.'),
      )
      results.push(...left.map(() => text))
    }
    return ok(new JsonText(`[${results.join(',')}]`))
  },
})

/** Consecutive creates of one class, which are written together. */
interface Creates {
  readonly className: string
  readonly bodies: readonly unknown[]
}

/** Returns the consecutive creates that begin at an item; null for fewer than two. */
function plainCreates(call: Call, items: readonly (Item | Error)[], start: number): Creates | null {
  const first = items[start]!
  if (!isCreate(first)) return null
  const className = plainClassAt(call, first.path)
  if (className === null) return null
  const bodies: unknown[] = []
  for (const item of items.slice(start, start + MAX_TOGETHER)) {
    if (!isCreate(item) || item.path !== first.path) break
    bodies.push(item.body)
  }
  return bodies.length > 1 ? { className, bodies } : null
}

function isCreate(item: Item | Error): item is Item {
  return !(item instanceof Error) && item.method === 'POST' && Object.keys(item.query).length === 0
}

/**
 * Returns the class that a POST to a path creates an object of. Null for built-in classes, which have their own
 * endpoints or names that begin with an underscore.
 */
function plainClassAt(call: Call, path: string): string | null {
  const found = call.endpointAt('POST', path)
  if (found?.route.path !== CLASS_PATH) return null
  const className = found.params.className!
  return className.startsWith('_') ? null : className
}

async function createTogether(call: Call, { className, bodies }: Creates): Promise<string[]> {
  try {
    await countCaller(call.app.limits, 'writes', call.caller, bodies.length)
    const outcomes = await createObjects(call.app.objects, checkClassName(className), bodies, call.caller)
    return outcomes.map((outcome) =>
      'error' in outcome
        ? failed(call, outcome.error)
        : succeeded(`{"objectId":"${outcome.result.id}","createdAt":"${outcome.result.createdAt}"}`),
    )
  } catch (error) {
    return bodies.map(() => failed(call, error))
  }
}

async function perform(call: Call, item: Item | Error): Promise<string> {
  if (item instanceof Error) return failed(call, item)
  try {
    const answer = await call.dispatch(item.method, item.path, item.query, item.body)
    // Functions return errors as responses.
    return answer.status < 400 ? succeeded(textOfAnswer(item, answer)) : `{"error":${textOf(answer)}}`
  } catch (error) {
    return failed(call, error)
  }
}

/** Returns the text of a response; a GET of an object that does not exist is null in a batch (protocol/conventions, Batch). */
function textOfAnswer(item: Item, answer: Answer): string {
  const text = textOf(answer)
  return item.method === 'GET' && text === '{}' ? 'null' : text
}

function succeeded(text: string): string {
  return `{"success":${text}}`
}

function failed(call: Call, error: unknown): string {
  return JSON.stringify({ error: failure(error, call.server.log, call.requestId).body })
}

function parseItems(body: JsonObject): (Item | Error)[] {
  if (!Array.isArray(body.requests)) {
    throw errors.malformedJson("The body of a batch needs 'requests', an array.")
  }
  if (body.requests.length > MAX_ITEMS) throw errors.badArgument(`A batch must have at most ${MAX_ITEMS} requests.`)
  const items = body.requests.map(parseItem)
  const reads = items.filter((item) => !(item instanceof Error) && item.method === 'GET')
  if (reads.length > MAX_READS) throw errors.badArgument(`A batch must have at most ${MAX_READS} GET requests.`)
  return items
}

function parseItem(wire: unknown, index: number): Item | Error {
  if (!isJsonObject(wire)) return errors.malformedJson(`Request ${index} of the batch must be an object.`)
  const { method = 'GET', path, body } = wire
  if (typeof method !== 'string') return errors.badArgument(`Request ${index} of the batch needs 'method', a string.`)
  if (typeof path !== 'string' || !path.startsWith('/1')) {
    return errors.badArgument(`Request ${index} of the batch needs 'path', a full path that begins with /1.1/.`)
  }
  const end = path.indexOf('?')
  const search: Parameters = end < 0 ? {} : parametersOfText(path.slice(end + 1))
  return {
    method: method.toUpperCase(),
    path: end < 0 ? path : path.slice(0, end),
    query: mergedParameters(search, asTextual(asParameters(wire.params))),
    body: emptyAsObject(body ?? {}),
  }
}
