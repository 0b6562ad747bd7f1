type Table = readonly (readonly string[])[]

/** Formats a table: the first column is text, the others are right-aligned figures; the first line is the heading. */
export function section(heading: string, table: Table): string {
  const widths = table[0]!.map((_, column) => Math.max(...table.map((line) => line[column]!.length)))
  const lines = table.map((line) =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd(),
  )
  return [heading, '', ...lines.map((line) => `  ${line}`)].join('\n')
}

export const integer = (value: number) => Math.round(value).toLocaleString('en').replaceAll(',', ' ')
