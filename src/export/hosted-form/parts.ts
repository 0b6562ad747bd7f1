import { BEGINNING, type ExportPosition } from './position.ts'
import { commentLine, type Section } from './section.ts'

/** A file of an export, complete in memory, and the position after it. */
export interface Part {
  readonly name: string
  readonly content: Buffer
  readonly next: ExportPosition
}

/** Bytes after which a part ends. A part is held in memory, with at most one batch of records beyond this size. */
const PART_SIZE = 16 * 1024 * 1024

/**
 * Yields the files of sections from a position on. Parts end at record boundaries, so a resumed export continues after the last
 * record of a part.
 */
export async function* partsOf(
  sections: readonly Section[],
  from: ExportPosition = BEGINNING,
  size = PART_SIZE,
): AsyncGenerator<Part> {
  const sorted = sections.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  for (const section of sorted) {
    if (section.name < from.section) continue
    const isBegun = section.name === from.section
    yield* partsOfSection(section, isBegun ? from : { section: section.name, part: 0, after: null }, size)
  }
}

async function* partsOfSection(section: Section, from: ExportPosition, size: number): AsyncGenerator<Part> {
  let { part, after } = from
  let pieces: Buffer[] = []
  let length = 0
  const take = (isLast: boolean): Part => {
    const content = Buffer.concat([Buffer.from(commentLine(section.comment)), ...pieces])
    const name = section.fileOf(part)
    pieces = []
    length = 0
    part++
    // After the last part of a section, the export continues with the next section.
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
