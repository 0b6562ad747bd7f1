import { isFileKey } from '../../files/file-key.ts'
import { isInternalFile } from '../../import/internal-file.ts'
import { notice } from '../../notices/notice.ts'
import type { JsonObject } from '../../values/json.ts'
import { insisting } from '../import/send-batch.ts'
import { type FileSource, fetchBytes, wantedFile } from './fetch-bytes.ts'
import { idsOf, objectsOf, type PulledObject } from './objects-of.ts'
import { Part, type PulledItem, type PullTarget } from './part.ts'
import { endMark, markOutdated, roundOf, roundsUntil } from './round.ts'
import type { SourceApp } from './source-app.ts'

export const FILES_PART = 'bytes of files'

/** Files between two marks, and files that are fetched in parallel. */
const STEP = 100
const AT_A_TIME = 4

/**
 * Fetches the bytes of files that are not stored here yet, under their original keys. Each pull checks all records, so that
 * failed files are retried.
 */
export async function pullFiles(source: SourceApp, target: PullTarget, files: FileSource, now: string): Promise<Part> {
  const known = await Part.open(target, FILES_PART)
  const isDone = roundOf(known.mark, now).since !== null
  const part = isDone ? await Part.open(target, FILES_PART, true) : known
  const of = { kind: 'files', className: '_File' } as const
  for (const round of roundsUntil(part.mark, now)) {
    let mark = JSON.stringify(round)
    for await (const page of objectsOf(source, '_File', round)) {
      for (let begin = 0; begin < page.length; begin += STEP) {
        const step = page.slice(begin, begin + STEP)
        const last = idsOf(step).at(-1)
        if (last !== undefined) mark = markOutdated(round, last)
        await part.write(of, await pulledItems(step, target, files, mark), mark)
      }
    }
    await part.write(of, [], endMark(round))
  }
  return part
}

async function pulledItems(
  objects: readonly PulledObject[],
  { management, appPath }: PullTarget,
  files: FileSource,
  mark: string,
): Promise<PulledItem[]> {
  const records = objects.flatMap(({ text, reason }) => {
    // The import of the class has rejected unreadable records.
    const record = reason === undefined ? (JSON.parse(text) as JsonObject) : {}
    if (!isInternalFile(record)) return []
    return [{ text, record, key: String(record.key) }]
  })
  if (records.length === 0) return []
  // Files here cannot have other keys. The upload of their bytes fails with the reason.
  const [possible, impossible] = [true, false].map((is) =>
    records.map(({ key }) => key).filter((key) => isFileKey(key) === is),
  ) as [string[], string[]]
  const findMissing = () => management.request('POST', `${appPath}/files/missing`, { keys: possible })
  const { missing: unknown } = (await insisting(findMissing)) as { readonly missing: readonly string[] }
  const missing = new Set([...unknown, ...impossible])
  const items: PulledItem[] = []
  const waiting = [...records]
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { text, record, key } = next
      // Of two records with the same key, the first fetches the bytes.
      const isNew = missing.delete(key)
      const reason = isNew ? await pull(record) : null
      items.push({
        text: reason === null ? JSON.stringify({ key, isNew }) : text,
        ...(reason !== null && { reason }),
        mark,
      })
    }
  }
  const pull = async (record: JsonObject) => {
    const wanted = wantedFile(record, files)
    if (!wanted) return notice('fileWithoutUrl')
    const fault = await fetchBytes(wanted, files, management, `${appPath}/files/bytes`)
    return fault === null ? null : notice('fileNotFetched', { reason: fault })
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, worker))
  return items
}
