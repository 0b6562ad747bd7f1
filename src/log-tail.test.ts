import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { eventOf } from './log-event.ts'
import { LogFiles } from './log-files.ts'
import { LogTail } from './log-tail.ts'

const line = (msg: string, fields: object = {}) => `${JSON.stringify({ level: 'error', ...fields, msg })}\n`
const nowhere = { write: () => {} }

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'homeport-log-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

it('keeps the last lines of many events, truncated when long, and writes all', () => {
  const tail = new LogTail()
  const written: string[] = []
  const destination = tail.before({ write: (text) => void written.push(text) })
  for (let number = 1; number <= 2500; number++)
    destination.write(line(`event ${'abcdefghij'[number % 10]}`, { number, more: 'x'.repeat(3000) }))
  expect(written).toHaveLength(2500)
  const lines = tail.after(0)
  expect(lines.map(({ number }) => number)).toEqual(Array.from({ length: 1000 }, (_, n) => 1501 + n))
  expect(lines[0]!.text).toHaveLength(2000)
  expect(tail.after(2498).map(({ number }) => number)).toEqual([2499, 2500])
})

it.each([
  ['one event', (n: number) => line('request failed unexpectedly', { requestId: n })],
  ['an event with numbers in its text', (n: number) => line(`request ${n} failed`)],
  ['texts that all differ', (n: number) => line(`${String.fromCodePoint(0x4e00 + (n % 20_000))} failed`)],
  ['lines that are no JSON', (n: number) => `no JSON ${n}\n`],
])('keeps lines of other events during %s, whatever its rate', (_, flood) => {
  const tail = new LogTail()
  const destination = tail.before(nowhere)
  for (let n = 0; n < 100; n++) destination.write(line('the disk is full', { component: 'database', n }))
  for (let n = 0; n < 5000; n++) destination.write(flood(n))
  const lines = tail.after(0)
  expect(lines.length).toBeLessThanOrEqual(1000)
  expect(lines.filter(({ text }) => text.includes('the disk is full'))).toHaveLength(100)
  expect(lines.at(-1)!.text).toBe(flood(4999).trimEnd())
})

it('keeps a rare event of the same component as a frequent one', () => {
  const tail = new LogTail()
  const destination = tail.before(nowhere)
  destination.write(line('rare'))
  for (let n = 0; n < 5000; n++) destination.write(line(`${'abcdefghij'[n % 10]} is frequent`))
  expect(tail.after(0)[0]!.text).toContain('rare')
})

it.each([
  [
    line('duplicate key "a" of 5', { component: 'postgres' }),
    { component: 'postgres', event: 'error duplicate key # of #' },
  ],
  [
    line('duplicate key "b" of 6', { component: 'postgres' }),
    { component: 'postgres', event: 'error duplicate key # of #' },
  ],
  ['{"msg":{"toString":1}}', { component: '', event: 'undefined ' }],
  ['null', { component: '', event: 'no JSON' }],
  ['cut off {', { component: '', event: 'no JSON' }],
])('finds the event of %s', (text, event) => {
  expect(eventOf(text)).toEqual(event)
})

it('bounds the total size of the files, and keeps the newest lines', () => {
  const folder = makeFolder()
  const files = new LogFiles(folder, 10_000)
  for (let n = 0; n < 5000; n++) files.write(line(`event ${'abcdefghij'[n % 10]}`, { number: n }))
  files.close()
  const names = readdirSync(folder).sort()
  expect(names).toHaveLength(5)
  for (const name of names) expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(10_000)
  if (process.platform !== 'win32') expect(statSync(join(folder, names[0]!)).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(folder, names.at(-1)!), 'utf8')).toContain('"number":4999')
})

it('limits an event to its share of a file, and records that lines were dropped', () => {
  const folder = makeFolder()
  const files = new LogFiles(folder, 10_000)
  files.write(line('rare'))
  for (let n = 0; n < 5000; n++) files.write(line('request failed unexpectedly', { requestId: n }))
  files.write(line('rare again'))
  files.close()
  const [name, ...others] = readdirSync(folder)
  expect(others).toEqual([])
  const text = readFileSync(join(folder, name!), 'utf8')
  expect(text).toContain('rare again')
  expect(text.match(/lines dropped from the log file/g)).toHaveLength(1)
  expect(text.length).toBeLessThan(3500)
})

it('shows lines of the previous process without writing them again', () => {
  const folder = makeFolder()
  const before = new LogTail()
  const files = before.keepIn(folder)
  before.before(nowhere).write(line('last words'))
  files.close()
  const tail = new LogTail()
  tail.before(nowhere).write(line('started'))
  tail.keepIn(folder).close()
  expect(tail.after(0).map(({ text }) => JSON.parse(text).msg)).toEqual(['last words', 'started'])
  const [name] = readdirSync(folder)
  expect(readFileSync(join(folder, name!), 'utf8').match(/last words/g)).toHaveLength(1)
})

it('only loses lines for very long lines, unrelated files and an unwritable folder', () => {
  const folder = makeFolder()
  writeFileSync(join(folder, 'notes.txt'), 'foreign')
  const files = new LogFiles(folder)
  files.write(line('x'.repeat(1_000_000)))
  files.close()
  files.write(line('after the end'))
  expect(readdirSync(folder)).toContain('notes.txt')
  const unwritable = new LogFiles(join(folder, 'notes.txt', 'below'))
  unwritable.write(line('a'))
  expect(unwritable.lastLines(10)).toEqual([])
  unwritable.close()
})
