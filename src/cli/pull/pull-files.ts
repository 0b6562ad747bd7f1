import { notice } from '../../notices/notice.ts'
import type { JsonObject } from '../../values/json.ts'
import { insisting } from '../import/send-batch.ts'
import { type FileSource, fetchBytes, wantedFile } from './fetch-bytes.ts'
import { objectsOf, type PulledObject } from './objects-of.ts'
import { Part, type PulledItem, type PullTarget } from './part.ts'
import { isInternal } from './pull-class.ts'
import { endMark, markBehind, roundOf, roundsUntil } from './round.ts'
import type { SourceApp } from './source-app.ts'

export const FILES_PART = 'bytes of files'

/** Files between two marks, and those that are fetched at a time. */
const STEP = 100
const AT_A_TIME = 4

/**
 * Brings the bytes of the files that have none here, under their old keys. Each pull looks at all records, so that those that
 * could not be fetched are tried again.
 */
export async function pullFiles(source: SourceApp, target: PullTarget, files: FileSource, now: string): Promise<Part> {
  const known = await Part.open(target, FILES_PART)
  const isDone = roundOf(known.mark, now).since !== null
  const part = isDone ? await Part.open(target, FILES_PART, true) : known
  const of = { kind: 'files', className: '_File' } as const
  for (const round of roundsUntil(part.mark, now)) {
    for await (const page of objectsOf(source, '_File', round)) {
      for (let begin = 0; begin < page.length; begin += STEP) {
        const step = page.slice(begin, begin + STEP)
        const mark = markBehind(round, step.at(-1)!.id)
        await part.write(of, await broughtItems(step, target, files, mark), mark)
      }
    }
    await part.write(of, [], endMark(round))
  }
  return part
}

async function broughtItems(
  objects: readonly PulledObject[],
  { management, appPath }: PullTarget,
  files: FileSource,
  mark: string,
): Promise<PulledItem[]> {
  const records = objects.flatMap(({ text }) => {
    const record = JSON.parse(text) as JsonObject
    return isInternal(record) ? [{ text, record, key: String(record.key) }] : []
  })
  if (records.length === 0) return []
  const ask = () => management.request('POST', `${appPath}/files/missing`, { keys: records.map(({ key }) => key) })
  const missing = new Set(((await insisting(ask)) as { readonly missing: readonly string[] }).missing)
  const items: PulledItem[] = []
  const waiting = [...records]
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { text, record, key } = next
      // Of two records with one key the first brings the bytes.
      const isNew = missing.delete(key)
      const reason = isNew ? await bring(record) : null
      items.push({
        text: reason === null ? JSON.stringify({ key, isNew }) : text,
        ...(reason !== null && { reason }),
        mark,
      })
    }
  }
  const bring = async (record: JsonObject) => {
    const wanted = wantedFile(record, files)
    if (!wanted) return notice('fileWithoutUrl')
    const fault = await fetchBytes(wanted, files, management, `${appPath}/files/bytes`)
    return fault === null ? null : notice('fileNotFetched', { reason: fault })
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, worker))
  return items
}
