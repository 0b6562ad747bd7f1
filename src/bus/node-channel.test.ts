import { pino } from 'pino'
import { expect, it } from 'vitest'
import type { Bus } from './bus.ts'
import { localBus } from './local-bus.ts'
import { NodeChannel } from './node-channel.ts'

const log = pino({ level: 'silent' })

function makeNode(bus: Bus, { alone = false, failed = () => {} } = {}) {
  const heard: object[] = []
  const channel = new NodeChannel<object>({
    bus,
    topic: 'topic',
    alone,
    heard: (item) => heard.push(item),
    failed,
    log,
  })
  return { heard, channel }
}

it('what a node tells the others hear in its order, however long it is, and itself does not', () => {
  const bus = localBus()
  const [one, two, three] = [makeNode(bus), makeNode(bus), makeNode(bus)]
  const sent = [{ text: '早'.repeat(20_000) }, { text: 'short' }]
  for (const news of sent) one.channel.publish(news)
  expect(one.heard).toEqual([])
  for (const { heard } of [two, three]) expect(heard).toMatchObject(sent)
})

it('a node that is alone, or has stopped listening, tells or hears nothing', () => {
  const bus = localBus()
  const [alone, other] = [makeNode(bus, { alone: true }), makeNode(bus)]
  alone.channel.publish({ text: 'nobody' })
  expect(other.heard).toEqual([])
  const late = makeNode(bus)
  late.channel.stop()
  other.channel.publish({ text: 'too late' })
  expect(late.heard).toEqual([])
})

it('what could not be told is noticed', async () => {
  let failures = 0
  const bus: Bus = { ...localBus(), publish: () => Promise.reject(new Error('cut off')) }
  makeNode(bus, { failed: () => failures++ }).channel.publish({ text: 'x' })
  await expect.poll(() => failures).toBe(1)
})

it('what other programs publish on the channel is ignored', () => {
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
