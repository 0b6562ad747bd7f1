/**
 * The bytes of characters that are not visible between values and at the start of a line: byte-order marks, spaces of other widths
 * and without width. There they have no meaning, because no value of an accepted form starts with them.
 */
export const INVISIBLE_BYTES: readonly number[] = [
  ...[0xef, 0xbb, 0xbf],
  ...[0xc2, 0xa0, 0xe2, 0xe3],
  ...Array.from({ length: 14 }, (_, index) => 0x80 + index),
]

/** White space and invisible characters between JSON values. */
export const JSON_SPACES: ReadonlySet<number> = new Set([9, 10, 13, 32, ...INVISIBLE_BYTES])
