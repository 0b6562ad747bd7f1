/** The head of a CSV file: the type and the name of each column. A column without a type is left out. */
export interface CsvHead {
  readonly types: readonly string[]
  readonly names: readonly string[]
}

/**
 * A row that was not taken, as CSV with its head in front: three rows, of which the last can be corrected and is read with the same
 * types as in its file.
 */
export function rejectedRow({ types, names }: CsvHead, cells: readonly string[]): string {
  return [types, names, cells].map(csvRow).join('\n')
}

/** Cells as a row of CSV. */
export function csvRow(cells: readonly string[]): string {
  return cells.map((cell) => (/[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')
}

/**
 * What such a text holds, of which CSV has been parsed.
 * @param isType whether a text is the type of a column
 * @returns null for any other text
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
