import type { ClassDescription } from '../../../api/classes.ts'
import { type Column, csvType } from '../outward/columns.ts'
import { areTypes, cellValue, guessType } from './cells.ts'
import { csvRows } from './csv-rows.ts'

/** A record of a file: its line or place from 1, and what it is as JSON; or why it cannot be taken. */
export interface FileRecord {
  readonly at: number
  readonly text: string
  readonly reason?: string
}

/** What a file was found to be. */
export interface Understood {
  readonly form: 'csv' | 'jsonl' | 'json'
  /** The columns of CSV, as they are taken unless told; of JSON the members that were seen, with their types. */
  readonly columns: readonly Column[]
  /** Rows in front of the first record */
  readonly headRows: number
  /** What stands in the columns of the first records, for people to see. */
  readonly examples: readonly (readonly string[])[]
}

/** Rows that are looked at to find out the types of columns, and those that are shown. */
const LOOKED_AT = 200
const SHOWN = 5
/** A list in JSON is read as a whole, and takes several times its size meanwhile. */
const MOST_JSON = 64 * 1024 * 1024

/** A column of it is left out. */
export const LEFT_OUT = ''

/** A list of JSON that is larger than can be read as a whole. */
export class TooLarge extends Error {}

/** Finds out what a file is by its beginning. @throws TooLarge; Error where it is nothing that can be imported */
export async function understand(file: File, { fields }: ClassDescription): Promise<Understood> {
  const beginning = (await file.slice(0, 4096).text()).replace(/^\ufeff/, '').trimStart()
  const isList = beginning.startsWith('[') || /^\{\s*"results"\s*:/.test(beginning)
  if (isList && file.size > MOST_JSON) throw new TooLarge()
  if (isList) return understandRecords(file, 'json')
  if (beginning.startsWith('{') || beginning.startsWith('#')) return understandRecords(file, 'jsonl')
  const rows: (readonly string[])[] = []
  for await (const { cells } of csvRows(file)) if (rows.push(cells) >= LOOKED_AT) break
  const [first = [], second = []] = rows
  const isTyped = areTypes(first)
  const headRows = isTyped ? 2 : 1
  const names = (isTyped ? second : first).map((name) => name.trim())
  const data = rows.slice(headRows)
  const columns = names.map((name, index): Column => {
    const field = fields[name]
    const known = field && csvType(field)
    const type = isTyped
      ? first[index]!.trim()
      : (known ??
        guessType(
          name,
          data.map((cells) => cells[index] ?? ''),
        ))
    return { name, type: /^\w{1,128}$/.test(name) ? type : LEFT_OUT }
  })
  return {
    form: 'csv',
    columns,
    headRows,
    examples: names.map((_, index) => data.slice(0, SHOWN).map((row) => row[index] ?? '')),
  }
}

async function understandRecords(file: File, form: 'json' | 'jsonl'): Promise<Understood> {
  const seen = new Map<string, { type: string; examples: string[] }>()
  let count = 0
  for await (const { text, reason } of recordsOf(file, { form, columns: [], headRows: 0 })) {
    if (reason === undefined) {
      for (const [name, value] of Object.entries(parsed(text))) {
        const known = seen.get(name) ?? { type: typeName(value), examples: [] }
        known.examples.push(typeof value === 'string' ? value : JSON.stringify(value))
        seen.set(name, known)
      }
    }
    if (++count >= SHOWN) break
  }
  const columns = [...seen].map(([name, { type }]) => ({ name, type }))
  return { form, columns, headRows: 0, examples: [...seen.values()].map(({ examples }) => examples) }
}

/**
 * The records of a file, while it is read.
 * @param columns of CSV: what is taken of each; those without a type are left out
 */
export async function* recordsOf(
  file: File,
  { form, columns, headRows }: Pick<Understood, 'form' | 'columns' | 'headRows'>,
): AsyncGenerator<FileRecord> {
  if (form === 'csv') {
    for await (const { at, cells } of csvRows(file)) if (at > headRows) yield recordOfRow(at, columns, cells)
    return
  }
  if (form === 'jsonl') {
    yield* lines(file)
    return
  }
  const whole: unknown = JSON.parse(await file.text())
  const list = Array.isArray(whole) ? whole : ((whole as { results?: unknown }).results ?? [])
  for (const [index, one] of (list as unknown[]).entries()) yield { at: index + 1, text: JSON.stringify(one) }
}

function recordOfRow(at: number, columns: readonly Column[], cells: readonly string[]): FileRecord {
  try {
    if (cells.length !== columns.length) throw new Error(`The row has ${cells.length} cells, not ${columns.length}.`)
    const members = columns.flatMap(({ name, type }, index) => {
      const cell = cells[index]!
      return type === LEFT_OUT || cell === '' ? [] : [[name, cellValue(name, type, cell)]]
    })
    return { at, text: JSON.stringify(Object.fromEntries(members)) }
  } catch (error) {
    return { at, text: cells.join(',').slice(0, 2000), reason: (error as Error).message }
  }
}

async function* lines(file: File): AsyncGenerator<FileRecord> {
  const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader()
  let at = 0
  let rest = ''
  const record = (line: string): FileRecord | null => {
    at++
    const text = line.replace(/^\ufeff/, '').trim()
    return text === '' || text.startsWith('#') ? null : { at, text }
  }
  try {
    for (;;) {
      const { done, value = '' } = await reader.read()
      const parts = (rest + value).split('\n')
      rest = done ? '' : parts.pop()!
      for (const part of parts) {
        const one = record(part)
        if (one) yield one
      }
      if (done) return
    }
  } finally {
    await reader.cancel()
  }
}

function parsed(text: string): object {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'Array'
  if (typeof value === 'object' && value !== null) return String((value as { __type?: unknown }).__type ?? 'Object')
  return value === null ? '' : `${(typeof value)[0]!.toUpperCase()}${(typeof value).slice(1)}`
}
