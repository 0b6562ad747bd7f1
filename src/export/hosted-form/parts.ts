import { BEGINNING, type Place } from './place.ts'
import { commentLine, type Section } from './section.ts'

/** A file of an export, whole in memory, and what follows it. */
export interface Part {
  readonly name: string
  readonly content: Buffer
  readonly next: Place
}

/** Bytes behind which a part ends. It is held in memory, with one record more at most. */
const PART_SIZE = 16 * 1024 * 1024

/**
 * The files of sections, from a place on. A part is cut where the records say it, not the moment: begun again later, an
 * export goes on behind the last record that is in one.
 */
export async function* partsOf(
  sections: readonly Section[],
  from: Place = BEGINNING,
  size = PART_SIZE,
): AsyncGenerator<Part> {
  const sorted = sections.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  for (const section of sorted) {
    if (section.name < from.section) continue
    const isBegun = section.name === from.section
    yield* partsOfSection(section, isBegun ? from : { section: section.name, part: 0, after: null }, size)
  }
}

async function* partsOfSection(section: Section, from: Place, size: number): AsyncGenerator<Part> {
  let { part, after } = from
  let pieces: Buffer[] = []
  let length = 0
  const take = (isLast: boolean): Part => {
    const content = Buffer.concat([Buffer.from(commentLine(section.comment)), ...pieces])
    const name = section.fileOf(part)
    pieces = []
    length = 0
    part++
    // Behind the last part, what comes next is the section behind it.
    const next = { section: isLast ? `${section.name}\u0001` : section.name, part, after }
    return { name, content, next }
  }
  for await (const { text, last } of section.records(after)) {
    if (length >= size) yield take(false)
    const piece = Buffer.from(text)
    pieces.push(piece)
    length += piece.length
    after = last
  }
  if (length > 0 || (part === 0 && !section.optional)) yield take(true)
}
