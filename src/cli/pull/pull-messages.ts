import { jsonElements } from '../../import/forms/json-elements.ts'
import { ByteReader } from '../../import/sources/byte-reader.ts'
import { notice } from '../../notices/notice.ts'
import { NoticedError } from '../../notices/noticed-error.ts'
import { isJsonObject, type Json } from '../../values/json.ts'
import { CursorCycle, isCursor } from './advancing.ts'
import { Part, type PulledItem, type PullTarget } from './part.ts'
import { endMark, markOutdated, type Round, roundsUntil } from './round.ts'
import type { SourceApp } from './source-app.ts'

export const MESSAGES_PART = 'messages'

type MessagePosition = readonly [timestamp: number, id: string]

const MAX_LIMIT = 1000

/** The source returns messages without time and id, so that older ones cannot be requested. */
export class HistoryCut extends NoticedError {}

/**
 * Pulls the messages of all conversations, newest first, in the order of the source (protocol/messaging, History query). A later
 * round ends where the previous one began.
 * @throws HistoryCut when the end cannot be reached; the messages before it are written
 */
export async function pullMessages(source: SourceApp, target: PullTarget, now: string): Promise<Part> {
  const part = await Part.open(target, MESSAGES_PART)
  const of = { kind: 'messaging', className: 'messaging-messages' } as const
  for (const round of roundsUntil(part.mark, now)) {
    for await (const items of pages(source, round)) await part.write(of, items)
    await part.write(of, [], endMark(round))
  }
  return part
}

/** Yields the texts of all messages page by page, newest first. @throws HistoryCut when the end cannot be reached */
export async function* messagePages(source: SourceApp): AsyncGenerator<readonly string[]> {
  for await (const items of pages(source, { since: null, began: '', after: null })) yield items.map(({ text }) => text)
}

/**
 * Yields pages up to the first empty one. Pages may be shorter than requested, because of their bytes or a limit of the source.
 */
async function* pages(source: SourceApp, round: Round): AsyncGenerator<PulledItem[]> {
  let position = round.after === null ? null : (JSON.parse(round.after) as MessagePosition)
  const cycle = new CursorCycle()
  for (;;) {
    const query: { [name: string]: Json } = {
      limit: MAX_LIMIT,
      ...(position && { timestamp: position[0], msgid: position[1] }),
      ...(round.since !== null && { till_timestamp: Date.parse(round.since) }),
    }
    const text = await source.text('/1.2/rtm/messages', query)
    const page = JSON.parse(text) as unknown
    if (!Array.isArray(page)) throw new NoticedError(notice('sourceMessagesNotList'))
    const texts: string[] = []
    for await (const element of jsonElements(new ByteReader(only(Buffer.from(text))))) texts.push(element.text)
    const items: PulledItem[] = []
    const before = position
    for (const [index, message] of page.entries()) {
      position = positionOf(message) ?? position
      items.push({
        text: texts[index]!,
        mark: position ? markOutdated(round, JSON.stringify(position)) : JSON.stringify(round),
      })
    }
    if (items.length > 0) yield items
    if (page.length === 0) return
    const isAhead = position !== null && before !== null && position[0] > before[0]
    if (position !== null && !isSame(position, before) && !isAhead && !cycle.isRepeated(position.join())) continue
    // A request for messages after the last one returned that message again.
    if (page.length === 1 && positionOf(page[0]) !== null && isSame(position, before)) return
    // A source that repeats messages, or returns newer ones, would do so endlessly.
    throw new HistoryCut(notice('messagesEndless', { messages: page.length }))
  }
}

function positionOf(message: unknown): MessagePosition | null {
  if (!isJsonObject(message)) return null
  const { timestamp, 'msg-id': id } = message
  return typeof timestamp === 'number' && isCursor(id) ? [timestamp, id] : null
}

function isSame(position: MessagePosition | null, other: MessagePosition | null): boolean {
  return position !== null && other !== null && position[0] === other[0] && position[1] === other[1]
}

async function* only(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
