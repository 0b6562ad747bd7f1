import { pino } from 'pino'
import { expect, it } from 'vitest'
import type { Bus } from './bus.ts'
import { localBus } from './local-bus.ts'
import { NodeChannel } from './node-channel.ts'

const log = pino({ level: 'silent' })

function makeNode(bus: Bus, { alone = false, failed = () => {} } = {}) {
  const received: object[] = []
  const channel = new NodeChannel<object>({
    bus,
    topic: 'topic',
    alone,
    onMessage: (item) => received.push(item),
    failed,
    log,
  })
  return { heard: received, channel }
}

it('delivers to the other nodes in order, at any length, and not to the sender', () => {
  const bus = localBus()
  const [one, two, three] = [makeNode(bus), makeNode(bus), makeNode(bus)]
  const sent = [{ text: '早'.repeat(20_000) }, { text: 'short' }]
  for (const message of sent) one.channel.publish(message)
  expect(one.heard).toEqual([])
  for (const { heard: received } of [two, three]) expect(received).toMatchObject(sent)
})

it('sends nothing from a node that is alone, and delivers nothing to a stopped one', () => {
  const bus = localBus()
  const [alone, other] = [makeNode(bus, { alone: true }), makeNode(bus)]
  alone.channel.publish({ text: 'nobody' })
  expect(other.heard).toEqual([])
  const late = makeNode(bus)
  late.channel.stop()
  other.channel.publish({ text: 'too late' })
  expect(late.heard).toEqual([])
})

it('reports a message that could not be sent', async () => {
  let failures = 0
  const bus: Bus = { ...localBus(), publish: () => Promise.reject(new Error('cut off')) }
  makeNode(bus, { failed: () => failures++ }).channel.publish({ text: 'x' })
  await expect.poll(() => failures).toBe(1)
})

it('ignores messages of other programs on the channel', () => {
  const bus = localBus()
  const node = makeNode(bus)
  const part = (text: string) =>
    JSON.stringify({ node: 'x', number: 0, count: 1, base64: Buffer.from(text).toString('base64') })
  const texts = [
    '',
    'x',
    'null',
    '5',
    '[]',
    '{}',
    '{"node":5}',
    '{"node":"x","base64":5}',
    '{"node":"x","base64":"","count":1e9}',
  ]
  const inner = ['no JSON', 'null', '[]', part('{"node":"x"}')]
  for (const text of [...texts, ...inner.map(part)]) void bus.publish('topic', text)
  expect(node.heard).toEqual([])
  void bus.publish('topic', '{"node":"x","text":"of a node"}')
  expect(node.heard).toHaveLength(1)
})
