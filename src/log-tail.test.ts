import { expect, it } from 'vitest'
import { LogTail } from './log-tail.ts'

it('the last thousand lines are remembered, cut where they are long, and all are written', () => {
  const tail = new LogTail()
  const written: string[] = []
  const destination = tail.before({ write: (line) => void written.push(line) })
  for (let number = 1; number <= 2500; number++) destination.write(`line ${number}${'x'.repeat(3000)}\n`)
  expect(written).toHaveLength(2500)
  const lines = tail.after(0)
  expect(lines.map(({ number }) => number)).toEqual(Array.from({ length: 1000 }, (_, n) => 1501 + n))
  expect(lines[0]!.text).toMatch(/^line 1501x+$/)
  expect(lines[0]!.text).toHaveLength(2000)
  expect(tail.after(2498).map(({ number }) => number)).toEqual([2499, 2500])
})
