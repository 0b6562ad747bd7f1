import { isInternalFile } from '../../import/internal-file.ts'
import type { JsonObject } from '../../values/json.ts'
import { objectsOf } from './objects-of.ts'
import { Part, type PullTarget } from './part.ts'
import { endMark, markOutdated, roundsUntil } from './round.ts'
import type { SourceApp } from './source-app.ts'

/** Pulls the objects of a class: all of them, or those changed since the last pull. */
export async function pullClass(source: SourceApp, target: PullTarget, className: string, now: string): Promise<Part> {
  const part = await Part.open(target, className)
  const of = { kind: 'objects', className } as const
  for (const round of roundsUntil(part.mark, now)) {
    let mark = JSON.stringify(round)
    for await (const page of objectsOf(source, className, round)) {
      const items = page.map(({ id, text, reason }) => {
        if (id !== null) mark = markOutdated(round, id)
        return { text: reason === undefined ? pulledText(className, text) : text, reason, mark }
      })
      await part.write(of, items)
    }
    await part.write(of, [], endMark(round))
  }
  return part
}

/** Returns the text of an object for the import. */
function pulledText(className: string, text: string): string {
  if (className !== '_File') return text
  const record = JSON.parse(text) as JsonObject
  if (!isInternalFile(record)) return text
  // Its bytes will be stored here, so the URL is computed when it is read (protocol/files, File record).
  const { url: _, ...rest } = record
  return JSON.stringify(rest)
}
