import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8').replaceAll('\r\n', '\n')
const sources = readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))

const table = /\| Queue \| File \|.*\n\|[-|]*\n((?:\|.*\n)+)/.exec(read('docs/architecture.md'))![1]!
const rows = table
  .trimEnd()
  .split('\n')
  .map((row) => row.split('|').slice(1, -1))
  .map(([queue, file, slots, bound, timeout, full]) => ({
    queue: queue!.trim(),
    files: [...file!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
    cells: [slots!, bound!, timeout!].map((cell) => cell.trim()),
    full: full!.trim(),
  }))

const CONSTRUCTION = /new (?:FairSemaphore|SemaphoreByKey|AmountSemaphore|LoopSlicer|SlicedSource|TimeSlice|Sequence)\b/
const constructing = sources.filter((file) => CONSTRUCTION.test(read(`src/${file}`)))

it.each(constructing)('the table of queues lists %s', (file) => {
  expect(rows.flatMap(({ files }) => files)).toContain(file)
})

it.each(rows)('the files of the queue "$queue" exist', ({ files }) => {
  expect(files.filter((file) => !sources.includes(file))).toEqual([])
})

it.each(rows)('the numbers of the queue "$queue" match its code', ({ files, cells }) => {
  const known = new Set(files.flatMap((file) => numbersIn(read(`src/${file}`))))
  const wrong = cells.flatMap(numbersOf).filter(({ values }) => !values.some((value) => known.has(value)))
  expect(wrong.map(({ text }) => text)).toEqual([])
})

it('the table states what happens when each queue is full', () => {
  for (const { cells, full } of rows) expect([...cells, full]).not.toContain('')
})

it('no module creates a queue at load time, except the one the architecture names', () => {
  const atModule = sources.filter((file) =>
    new RegExp(`^(?:export )?(?:const|let) .*${CONSTRUCTION.source}`, 'm').test(read(`src/${file}`)),
  )
  expect(atModule).toEqual(['http-client/exchange.ts'])
})

/** Returns the numbers of a source file with evaluated products: `16 * 1024` is one number. */
function numbersIn(source: string): number[] {
  const products = source.replaceAll(/(?<=\d)_(?=\d)/g, '').matchAll(/\b\d+(?: \* \d+)*\b/g)
  return [...products].map(([product]) => product.split(' * ').reduce((result, factor) => result * Number(factor), 1))
}

/** Returns the numbers of a cell in each unit the code may use: times in milliseconds or seconds, sizes in bytes. */
function numbersOf(cell: string): { text: string; values: number[] }[] {
  return [...cell.matchAll(/\b(\d+)(?: (ms|s|KB|MB)\b)?/g)].map(([text, digits, unit]) => {
    const number = Number(digits)
    if (unit === 'KB') return { text, values: [number * 1024] }
    if (unit === 'MB') return { text, values: [number * 1024 * 1024] }
    return { text, values: unit === 's' ? [number * 1000] : [number] }
  })
}
