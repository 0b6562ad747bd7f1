import type { ServerResponse } from 'node:http'
import { pino } from 'pino'
import { afterAll, expect, it } from 'vitest'
import { KEYS, standInEngine } from '../../test/support/stand-in-engine.ts'
import { Engine } from './engine.ts'

const standIn = await standInEngine()
const engine = new Engine({
  appId: KEYS.id,
  keys: () => KEYS,
  settings: () => ({ production: standIn.url }),
  callsAtOnce: 4,
  log: pino({ level: 'silent' }),
})
afterAll(() => engine.stop())

/** Calls without a response of the engine yet. */
const open: ServerResponse[] = []
standIn.functions.set('slow', (response) => void open.push(response))
standIn.functions.set('quick', (response) => response.end('{"result":1}'))

const call = (name: string, address: string | null) =>
  engine.run(
    `functions/${name}`,
    {},
    { master: false, production: true, ...(address && { principal: { app: 'app-1', address, user: '' } }) },
    20_000,
  )

it('leaves capacity for other clients, and for calls of the functions, when a client calls slow functions', async () => {
  const slow = Array.from({ length: 20 }, () => call('slow', '192.0.2.1'))
  const outcomes = Promise.all(slow)
  await expect.poll(() => open.length).toBe(2)
  expect(JSON.parse((await call('quick', '192.0.2.2')).text)).toEqual({ result: 1 })
  // Calls by cloud code are not queued: they could wait for a call that waits for them.
  const nested = await Promise.all(Array.from({ length: 6 }, () => call('quick', null)))
  expect(nested).toHaveLength(6)
  expect(open).toHaveLength(2)
  for (let answered = 0; answered < slow.length; answered++) {
    await expect.poll(() => open.length).toBeGreaterThan(0)
    open.shift()!.end('{"result":2}')
  }
  expect(await outcomes).toHaveLength(20)
})
