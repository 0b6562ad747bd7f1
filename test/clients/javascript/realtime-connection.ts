import type { RealtimeCase } from './realtime-cases.ts'
import { makeTools } from './tools.ts'

const { until } = makeTools()

export const CONNECTION_CASES: readonly RealtimeCase[] = [
  {
    name: 'a lost connection is made again, and what was missed is counted',
    run: async (sdk, _, { next }) => {
      const una = await sdk.realtime.createIMClient('una')
      const conversation = await una.createConversation({ members: ['uwe'], unique: false })
      const lost = next(una, 'disconnect')
      const back = next(una, 'reconnect')
      una._connection._ws.close()
      await lost
      await back
      const message = await conversation.send(new sdk.TextMessage('I am back'))
      return [await una.ping(['una']), message.status === sdk.MessageStatus.SENT]
    },
    expected: [['una'], true],
  },
  {
    name: 'a message that is sent while the client reconnects does not end it',
    run: async (sdk, _, { next, refusalOf }) => {
      const { realtime } = sdk
      const val = await realtime.createIMClient('val')
      const conversation = await val.createConversation({ members: ['vic'], unique: false })
      const early = next(realtime, 'reconnect').then(() => refusalOf(conversation.send(new sdk.TextMessage('early'))))
      const back = next(val, 'reconnect')
      val._connection._ws.close()
      const refused = await early
      await back
      await conversation.send(new sdk.TextMessage('later'))
      const stored = await conversation.queryMessages()
      const texts = stored.map((message: { getText(): string }) => message.getText())
      return [refused === null || refused.code === 4105, texts.includes('later')]
    },
    expected: [true, true],
  },
  {
    name: 'a login elsewhere with the same tag ends this one',
    run: async ({ realtime }, _, { next }) => {
      // The position of the tag differs between versions.
      const wim = await realtime.createIMClient('wim', { tag: 'Mobile' }, 'Mobile')
      const ending = next(wim, 'conflict')
      // The connection can end before the response.
      void wim.createConversation({ members: ['wim'], name: 'wim listens' }).catch(() => {})
      const [{ reason }] = await ending
      return typeof reason
    },
    meanwhile: async ({ device, untilListening }) => {
      await untilListening('wim')
      await device.logIn('wim', { tag: 'Mobile' })
    },
    expected: 'string',
  },
  {
    name: 'a client that the app kicks is told so',
    run: async ({ realtime }, _, { next }) => {
      const xia = await realtime.createIMClient('xia')
      const ending = next(xia, 'close')
      void xia.createConversation({ members: ['xia'], name: 'xia listens' }).catch(() => {})
      const [{ code, reason }] = await ending
      return [code, reason]
    },
    meanwhile: async ({ app, untilListening }) => {
      await untilListening('xia')
      await app.request('POST', '/1.2/rtm/clients/xia/kick', { master: true, body: { reason: 'enough' } })
    },
    expected: [4115, 'enough'],
  },
  {
    name: "messages go to and fro between it and today's version",
    run: async (sdk, _, { next }) => {
      const old = await sdk.realtime.createIMClient('old')
      const conversation = await old.createConversation({ members: ['new'], unique: true })
      const coming = next(old, 'message')
      await conversation.send(new sdk.TextMessage('from the old one'))
      const [answer] = await coming
      return [answer.getText(), answer.from]
    },
    meanwhile: async ({ device }) => {
      const { sdk, logIn } = device
      const client = await logIn('new')
      const heard = async () => {
        const [conversation] = await client.getQuery().withMembers(['old', 'new'], false).find()
        const [message] = (await conversation?.queryMessages({ limit: 1 })) ?? []
        const { text } = (message ?? {}) as { text?: string }
        return { conversation, text }
      }
      const { conversation, text } = await until(heard, (found) => found.text !== undefined)
      await conversation!.send(new sdk.TextMessage(`heard: ${text}`))
    },
    expected: ['heard: from the old one', 'new'],
  },
]
