/** The head of a CSV file: the type and the name of each column. Columns without a type are skipped. */
export interface CsvHead {
  readonly types: readonly string[]
  readonly names: readonly string[]
}

/**
 * Encodes a rejected row as CSV after its head. The user can correct the last of the three rows, which is read again with the
 * types of its file.
 */
export function rejectedRow({ types, names }: CsvHead, cells: readonly string[]): string {
  return [types, names, cells].map(csvRow).join('\n')
}

/** Encodes cells as a row of CSV. */
export function csvRow(cells: readonly string[]): string {
  return cells.map((cell) => (/[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')
}

/**
 * Reads a rejected row from parsed CSV.
 * @param isType whether a text is the type of a column
 * @returns null when the rows are not a rejected row with its head
 */
export function readRejectedRow(
  rows: readonly (readonly string[])[],
  isType: (text: string) => boolean,
): { readonly head: CsvHead; readonly cells: readonly string[] } | null {
  const [types, names, cells] = rows
  if (rows.length !== 3 || !types || !names || !cells) return null
  const isHead = types.some(isType) && types.every((type) => type === '' || isType(type))
  return isHead ? { head: { types, names }, cells } : null
}
