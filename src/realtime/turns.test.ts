import { EventEmitter, once } from 'node:events'
import { expect, test } from 'vitest'
import { Turns } from './turns.ts'

test('who has to wait for nothing begins at once, and behind somebody who waits not before', async () => {
  const turns = new Turns()
  expect(turns.wait(undefined)).toBeUndefined()
  const begun: string[] = []
  const gate = new EventEmitter()
  const first = turns.wait(once(gate, 'open').then(() => {}))
  const second = turns.wait(undefined)
  const third = turns.wait(Promise.resolve())
  const all = [first, second, third].map((turn, n) => turn!.then(() => begun.push(`${n}`)))
  await Promise.resolve()
  expect(begun).toEqual([])
  gate.emit('open')
  await Promise.all(all)
  expect(begun).toEqual(['0', '1', '2'])
  expect(turns.wait(undefined)).toBeUndefined()
})

test('who is refused keeps nobody else from beginning', async () => {
  const turns = new Turns()
  const refused = turns.wait(Promise.reject(new Error('too much')))
  const next = turns.wait(undefined)
  await expect(refused).rejects.toThrow('too much')
  await next
})
