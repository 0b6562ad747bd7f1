import { EventEmitter, once } from 'node:events'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { Unfinished } from './unfinished.ts'

it('is settled when all work has ended, that which was added meanwhile too, and failures are told to the log', async () => {
  const lines: string[] = []
  const unfinished = new Unfinished(pino({ level: 'warn' }, { write: (line) => void lines.push(line) }))
  const done: string[] = []
  const gates = new EventEmitter()
  const doSecond = async () => {
    await once(gates, 'second')
    done.push('second')
  }
  const doFirst = async () => {
    await once(gates, 'first')
    done.push('first')
    unfinished.add(doSecond(), 'never')
  }
  unfinished.add(doFirst(), 'never')
  unfinished.add(Promise.reject(new Error('no way')), 'it went wrong')
  const settled = unfinished.settled().then(() => done.push('settled'))
  gates.emit('first')
  await expect.poll(() => done).toEqual(['first'])
  gates.emit('second')
  await settled
  expect(done).toEqual(['first', 'second', 'settled'])
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ error: 'no way', msg: 'it went wrong' }])
  await unfinished.settled()
})
