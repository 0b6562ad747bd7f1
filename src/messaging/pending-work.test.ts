import { EventEmitter, once } from 'node:events'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { PendingWork } from './pending-work.ts'

it('drains all work including work added meanwhile, and logs failures', async () => {
  const lines: string[] = []
  const pendingWork = new PendingWork(pino({ level: 'warn' }, { write: (line) => void lines.push(line) }))
  const done: string[] = []
  const gates = new EventEmitter()
  const doSecond = async () => {
    await once(gates, 'second')
    done.push('second')
  }
  const doFirst = async () => {
    await once(gates, 'first')
    done.push('first')
    pendingWork.add(doSecond(), 'never')
  }
  pendingWork.add(doFirst(), 'never')
  pendingWork.add(Promise.reject(new Error('no way')), 'it went wrong')
  const drained = pendingWork.drain().then(() => done.push('drained'))
  gates.emit('first')
  await expect.poll(() => done).toEqual(['first'])
  gates.emit('second')
  await drained
  expect(done).toEqual(['first', 'second', 'drained'])
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ error: 'no way', msg: 'it went wrong' }])
  await pendingWork.drain()
})
