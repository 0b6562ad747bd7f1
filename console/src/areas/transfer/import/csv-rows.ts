import { parse } from 'csv-parse/browser/esm'
import type { Encoding } from '../../../../../src/import/sources/detect-encoding.ts'
import { textStream } from './file-text.ts'

/** A row of a CSV file, counted from 1, with its cells. */
export interface CsvRow {
  readonly at: number
  readonly cells: readonly string[]
}

/**
 * Yields the rows of a CSV file while reading it.
 * @throws Error at malformed CSV, after the rows before it
 */
export async function* csvRows(file: Blob, encoding: Encoding): AsyncGenerator<CsvRow> {
  const rows: string[][] = []
  let fault: Error | null = null
  const parser = parse({ bom: true, relax_column_count: true, skip_empty_lines: true })
  parser.on('readable', () => {
    for (let row = parser.read() as string[] | null; row !== null; row = parser.read() as string[] | null)
      rows.push(row)
  })
  parser.on('error', (error: Error) => {
    fault = error
  })
  const ended = new Promise<void>((resolve) => {
    parser.on('end', resolve)
    parser.on('error', () => resolve())
  })
  let at = 0
  const reader = textStream(file, encoding).getReader()
  try {
    while (fault === null) {
      const { done, value } = await reader.read()
      if (done) break
      if (!parser.write(value)) await new Promise((resolve) => setTimeout(resolve))
      for (let cells = rows.shift(); cells; cells = rows.shift()) yield { at: ++at, cells }
    }
    parser.end()
    await ended
    for (let cells = rows.shift(); cells; cells = rows.shift()) yield { at: ++at, cells }
    if (fault !== null) throw fault
  } finally {
    await reader.cancel()
  }
}
