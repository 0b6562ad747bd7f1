import { isJsonObject, type Json, type JsonObject } from '../../values/json.ts'
import { objectsOf } from './objects-of.ts'
import { Part, type PulledItem, type PullTarget } from './part.ts'
import { endMark, markBehind, roundOf } from './round.ts'
import { type SourceApp, SourceRefusal } from './source-app.ts'

export const MODERATION_PART = 'who is silenced, blocked and subscribed'

/** Clients that are asked for at once. */
const PAGE = 100
const SUBSCRIBERS = 50

/** What is kept of a conversation, by the table it goes into. */
type Kept = { readonly [table in 'silences' | 'blocks' | 'subscriptions']: JsonObject[] }

/**
 * Brings who may not speak in conversations, who is kept out of them, and who has subscribed to those of the system
 * (protocol/messaging, One-on-one and group conversations). They have no times: each pull asks for all of them, two requests for a conversation. Who is
 * silenced for a while only, and which conversations a client keeps away, the API does not list.
 */
export async function pullModeration(source: SourceApp, target: PullTarget, now: string): Promise<Part> {
  const known = await Part.open(target, MODERATION_PART)
  const isDone = roundOf(known.mark, now).since !== null
  const part = isDone ? await Part.open(target, MODERATION_PART, true) : known
  const round = roundOf(part.mark, now)
  const wanted = { after: round.after, since: null, keys: 'objectId,tr,sys' }
  let mark = round.after === null ? JSON.stringify(round) : markBehind(round, round.after)
  for await (const page of objectsOf(source, '_Conversation', wanted)) {
    for (const { id, text } of page) {
      const kept = await keptOf(source, id, JSON.parse(text) as JsonObject)
      for (const [table, rows] of Object.entries(kept)) {
        if (rows.length === 0) continue
        const items = rows.map((row): PulledItem => ({ text: JSON.stringify(row), mark }))
        await part.write({ kind: 'messaging', className: `messaging-${table as keyof Kept}` }, items, mark)
      }
      mark = markBehind(round, id)
    }
    await part.write({ kind: 'messaging', className: 'messaging-silences' }, [], mark)
  }
  await part.write({ kind: 'messaging', className: 'messaging-silences' }, [], endMark(round))
  return part
}

async function keptOf(source: SourceApp, convId: string, { tr, sys }: JsonObject): Promise<Kept> {
  const kind = sys === true ? 'service-conversations' : tr === true ? 'chatrooms' : 'conversations'
  const path = `/1.2/rtm/${kind}/${convId}`
  const rowOf = (client_id: string) => ({ conv_id: convId, client_id })
  return {
    // Nobody is silenced in conversations of the system.
    silences:
      sys === true
        ? []
        : (await clientsOf(source, `${path}/permanent-silenceds`)).map((id) => ({ ...rowOf(id), until_ts: null })),
    blocks: (await clientsOf(source, `${path}/blacklists`)).map(rowOf),
    subscriptions: sys === true ? await subscribersOf(source, path, rowOf) : [],
  }
}

async function clientsOf(source: SourceApp, path: string): Promise<string[]> {
  const clients = new Set<string>()
  for (let next: Json = null; ; ) {
    const answer = await askOrNothing(source, path, { limit: PAGE, ...(typeof next === 'string' && { next }) })
    const { client_ids: ids = [], next: further = null } = isJsonObject(answer) ? answer : {}
    const size = clients.size
    for (const id of Array.isArray(ids) ? ids : []) if (typeof id === 'string') clients.add(id)
    // A cursor that brings nothing new is the end, too.
    if (typeof further !== 'string' || further === '' || clients.size === size) return [...clients]
    next = further
  }
}

async function subscribersOf(
  source: SourceApp,
  path: string,
  rowOf: (client: string) => JsonObject,
): Promise<JsonObject[]> {
  const rows = new Map<string, JsonObject>()
  for (let last: string | null = null; ; ) {
    const page: Json = await askOrNothing(source, `${path}/subscribers`, {
      limit: SUBSCRIBERS,
      ...(last !== null && { client_id: last }),
    })
    const size = rows.size
    for (const one of Array.isArray(page) ? page : []) {
      if (!isJsonObject(one) || typeof one.subscriber !== 'string') continue
      last = one.subscriber
      rows.set(last, { ...rowOf(last), since_ts: typeof one.timestamp === 'number' ? one.timestamp : 0 })
    }
    if (rows.size === size) return [...rows.values()]
  }
}

/** @returns null where the conversation has been deleted meanwhile */
async function askOrNothing(source: SourceApp, path: string, query: JsonObject): Promise<Json> {
  try {
    return JSON.parse(await source.text(path, query as { readonly [name: string]: Json })) as Json
  } catch (error) {
    if (error instanceof SourceRefusal && error.status !== 401 && error.status !== 403) return null
    throw error
  }
}
