/**
 * A large text as pieces that follow each other: to make one text of 15 MB takes 15 ms, in which nobody else would be
 * served, and as much memory again.
 */
export class TextInPieces {
  readonly pieces: readonly string[]
  /** Characters of all of them. */
  readonly length: number

  constructor(pieces: readonly string[]) {
    this.pieces = pieces
    this.length = pieces.reduce((length, piece) => length + piece.length, 0)
  }

  /** For the few who need it as one. */
  toString(): string {
    return this.pieces.join('')
  }
}

/** What becomes a text by `String`. */
export type Text = string | TextInPieces

/** Texts one behind the other; one text unless one of them is in pieces. */
export function concatenated(texts: readonly Text[]): Text {
  if (texts.every((text) => typeof text === 'string')) return texts.join('')
  const pieces: string[] = []
  let small = ''
  for (const text of texts) {
    if (typeof text === 'string') {
      small += text
      continue
    }
    if (small !== '') pieces.push(small)
    small = ''
    pieces.push(...text.pieces)
  }
  if (small !== '') pieces.push(small)
  return new TextInPieces(pieces)
}
