import { pino } from 'pino'
import { expect, it } from 'vitest'
import { localBus } from './local-bus.ts'

it('calls the listeners of a topic before publish returns, in the order of subscription', () => {
  const bus = localBus()
  const received: string[] = []
  bus.subscribe('topic', (message) => received.push(`first ${message}`))
  bus.subscribe('topic', (message) => received.push(`second ${message}`))
  bus.subscribe('elsewhere', (message) => received.push(`elsewhere ${message}`))
  void bus.publish('topic', 'a')
  expect(received).toEqual(['first a', 'second a'])
})

it('delivers nothing to an ended subscription, and keeps others when it is ended again', async () => {
  const bus = localBus()
  const received: string[] = []
  const listener = (message: string) => received.push(message)
  const end = bus.subscribe('topic', listener)
  end()
  await bus.publish('topic', 'for nobody')
  bus.subscribe('topic', listener)
  end()
  await bus.publish('topic', 'for the second')
  expect(received).toEqual(['for the second'])
})

it('calls a function that subscribed twice twice, and ends one subscription at a time', async () => {
  const bus = localBus()
  const received: string[] = []
  const listener = (message: string) => received.push(message)
  const end = bus.subscribe('topic', listener)
  bus.subscribe('topic', listener)
  await bus.publish('topic', 'twice')
  end()
  await bus.publish('topic', 'once')
  expect(received).toEqual(['twice', 'twice', 'once'])
})

it('does not call a listener that another one has removed meanwhile', async () => {
  const bus = localBus()
  const received: string[] = []
  bus.subscribe('topic', () => end())
  const end = bus.subscribe('topic', (message) => received.push(message))
  await bus.publish('topic', 'a')
  expect(received).toEqual([])
})

it('logs a listener that throws and still calls the others', async () => {
  const lines: string[] = []
  const bus = localBus(pino({}, { write: (line) => void lines.push(line) }))
  const received: string[] = []
  bus.subscribe('topic', () => {
    throw new Error('not today')
  })
  bus.subscribe('topic', (message) => received.push(message))
  await bus.publish('topic', 'a')
  expect(received).toEqual(['a'])
  expect(lines).toEqual([expect.stringContaining('not today')])
  expect(lines[0]).toContain('"component":"bus"')
})

it('is always connected', async () => {
  const bus = localBus()
  await bus.start()
  expect(bus.connected).toBe(true)
  await bus.stop()
})
