import { expect, it, vi } from 'vitest'
import { refused } from '../vendor-request.ts'
import { savedMessages } from './vivo-saved-messages.ts'

const saving = () => {
  const save = vi.fn(async () => ({ taskId: String(save.mock.calls.length) }))
  return save
}

it('saves a message once for all callers, and again after ten minutes', async () => {
  let now = 0
  const messages = savedMessages(() => now)
  const save = saving()
  expect(await Promise.all([messages.find('a', save), messages.find('a', save)])).toEqual(
    Array(2).fill({ taskId: '1' }),
  )
  now = 600_000 - 1
  expect(await messages.find('a', save)).toEqual({ taskId: '1' })
  now = 600_000
  expect(await messages.find('a', save)).toEqual({ taskId: '2' })
})

it('retries a message that could not be saved', async () => {
  const messages = savedMessages()
  expect(await messages.find('a', async () => refused('no'))).toEqual(refused('no'))
  expect(await messages.find('a', async () => ({ invalid: refused('expired') }))).toEqual({
    invalid: refused('expired'),
  })
  expect(await messages.find('a', saving())).toEqual({ taskId: '1' })
})

it('remembers only the last few messages', async () => {
  const messages = savedMessages()
  const save = saving()
  for (let index = 1; index <= 17; index++) await messages.find(`message ${index}`, save)
  await messages.find('message 17', save)
  expect(save).toHaveBeenCalledTimes(17)
  await messages.find('message 1', save)
  expect(save).toHaveBeenCalledTimes(18)
})
