import { EventEmitter, once } from 'node:events'
import { expect, test } from 'vitest'
import { CommandOrder } from './rates.ts'

test('begins a counted command immediately, but not before an earlier one that is not counted yet', async () => {
  const order = new CommandOrder()
  expect(order.next(undefined)).toBeUndefined()
  const begun: string[] = []
  const gate = new EventEmitter()
  const first = order.next(once(gate, 'open').then(() => {}))
  const second = order.next(undefined)
  const third = order.next(Promise.resolve())
  const all = [first, second, third].map((login, n) => login!.then(() => begun.push(`${n}`)))
  await Promise.resolve()
  expect(begun).toEqual([])
  gate.emit('open')
  await Promise.all(all)
  expect(begun).toEqual(['0', '1', '2'])
  expect(order.next(undefined)).toBeUndefined()
})

test('begins later commands after a rejected one', async () => {
  const order = new CommandOrder()
  const refused = order.next(Promise.reject(new Error('too much')))
  const next = order.next(undefined)
  await expect(refused).rejects.toThrow('too much')
  await next
})
