import type { RealtimeCase } from './realtime-cases.ts'

export const MESSAGE_CASES: readonly RealtimeCase[] = [
  {
    name: 'texts, typed messages and messages of any form come as they were sent',
    run: async (sdk, _, { next }) => {
      const [lea, leo] = await Promise.all(['lea', 'leo'].map((id) => sdk.realtime.createIMClient(id)))
      const conversation = await lea.createConversation({ members: ['leo'], unique: false })
      const heard = async (message: object) => {
        const coming = next(leo, 'message')
        const sent = await conversation.send(message)
        const [got] = await coming
        if (got.id !== sent.id || +got.timestamp !== +sent.timestamp || got.from !== 'lea')
          throw new Error('another one')
        return got
      }
      const text = await heard(new sdk.TextMessage('Grüße 你好 🙂').setAttributes({ color: 'red' }))
      class Seven extends sdk.TypedMessage {}
      sdk.messageType(7)(Seven)
      sdk.realtime.register(Seven)
      const typed = await heard(new Seven().setText('seven'))
      const any = await heard(new sdk.Message({ any: [1, 'form'] }))
      return {
        text: [text instanceof sdk.TextMessage, text.getText(), text.getAttributes()],
        typed: [typed instanceof Seven, typed.getText()],
        any: JSON.parse(any.content?.any ? JSON.stringify(any.content) : any.content),
        last: (await leo.getConversation(conversation.id, true)).lastMessage.id === any.id,
      }
    },
    expected: {
      text: [true, 'Grüße 你好 🙂', { color: 'red' }],
      typed: [true, 'seven'],
      any: { any: [1, 'form'] },
      last: true,
    },
  },
  {
    name: 'binary messages come byte by byte',
    since: 4,
    run: async (sdk, _, { next }) => {
      const [mia, max] = await Promise.all(['mia', 'max'].map((id) => sdk.realtime.createIMClient(id)))
      const conversation = await mia.createConversation({ members: ['max'], unique: false })
      const coming = next(max, 'message')
      await conversation.send(new sdk.BinaryMessage(Uint8Array.from([0, 128, 255]).buffer))
      const [got] = await coming
      const [stored] = await conversation.queryMessages()
      const bytesOf = ({ buffer }: { buffer: ArrayBuffer }) => [...new Uint8Array(buffer)]
      return [got instanceof sdk.BinaryMessage, bytesOf(got), bytesOf(stored)]
    },
    expected: [true, [0, 128, 255], [0, 128, 255]],
  },
  {
    name: 'who is mentioned is told',
    since: 4,
    run: async (sdk, _, { next }) => {
      const [mel, mo] = await Promise.all(['mel', 'mo'].map((id) => sdk.realtime.createIMClient(id)))
      const conversation = await mel.createConversation({ members: ['mo'], unique: false })
      const heard = async (message: object) => {
        const coming = next(mo, 'message')
        await conversation.send(message)
        const [{ mentioned, mentionedAll, mentionList }] = await coming
        return [mentioned, mentionedAll ?? false, mentionList ?? []]
      }
      return [
        await heard(new sdk.TextMessage('you').setMentionList(['mo'])),
        await heard(new sdk.TextMessage('all').mentionAll()),
        await heard(new sdk.TextMessage('nobody')),
      ]
    },
    expected: [
      [true, false, ['mo']],
      [true, true, []],
      [false, false, []],
    ],
  },
  {
    name: 'the sender is told that a message has arrived, and that it was read',
    run: async (sdk, _, { next, until }) => {
      const [ned, nell] = await Promise.all(['ned', 'nell'].map((id) => sdk.realtime.createIMClient(id)))
      const conversation = await ned.createConversation({ members: ['nell'], unique: false })
      const coming = next(nell, 'message')
      const arrived = next(conversation, 'lastdeliveredatupdate')
      const message = await conversation.send(new sdk.TextMessage('important'), { receipt: true })
      const [, nells] = await coming
      await arrived
      const delivered = +conversation.lastDeliveredAt >= +message.timestamp
      const read = next(conversation, 'lastreadatupdate')
      await nells.read()
      await read
      const status = await until(
        () => message.status,
        (one) => one === sdk.MessageStatus.DELIVERED,
      )
      await conversation.fetchReceiptTimestamps()
      return [delivered, status === sdk.MessageStatus.DELIVERED, +conversation.lastReadAt >= +message.timestamp]
    },
    expected: [true, true, true],
  },
  {
    name: 'a transient message comes, and is not kept',
    run: async (sdk, _, { next }) => {
      const [oda, olaf] = await Promise.all(['oda', 'olaf'].map((id) => sdk.realtime.createIMClient(id)))
      const conversation = await oda.createConversation({ members: ['olaf'], unique: false })
      const coming = next(olaf, 'message')
      await conversation.send(new sdk.TextMessage('typing…'), { transient: true })
      const [got] = await coming
      return [got.getText(), (await conversation.queryMessages()).length]
    },
    expected: ['typing…', 0],
  },
  {
    name: 'history is read at once, from a time on, and page by page',
    run: async (sdk) => {
      const pam = await sdk.realtime.createIMClient('pam')
      const conversation = await pam.createConversation({ members: ['pete'], unique: false })
      type Message = { id: string; timestamp: Date; from: string; getText(): string }
      const sent: Message[] = []
      for (const text of ['1', '2', '3', '4', '5']) sent.push(await conversation.send(new sdk.TextMessage(text)))
      const texts = (messages: Message[]) => messages.map((message) => message.getText()).join('')
      const before = { beforeTime: sent[2]!.timestamp, beforeMessageId: sent[2]!.id }
      const pages: string[] = []
      const iterator = conversation.createMessagesIterator({ limit: 2 })
      for (let page = await iterator.next(); ; page = await iterator.next()) {
        pages.push(texts(page.value))
        if (page.done) break
      }
      const all: Message[] = await conversation.queryMessages()
      return {
        all: texts(all),
        same: all.every(({ id, timestamp, from }, index) => {
          const one = sent[index]!
          return id === one.id && +timestamp === +one.timestamp && from === 'pam'
        }),
        last: texts(await conversation.queryMessages({ limit: 2 })),
        before: texts(await conversation.queryMessages(before)),
        pages,
      }
    },
    expected: { all: '12345', same: true, last: '45', before: '12', pages: ['45', '23', '1'] },
  },
  {
    name: 'history is read from the oldest on, and of one type alone',
    since: 4,
    run: async (sdk) => {
      const pia = await sdk.realtime.createIMClient('pia')
      const conversation = await pia.createConversation({ members: ['paul'], unique: false })
      for (const text of ['1', '2', '3']) await conversation.send(new sdk.TextMessage(text))
      class Eight extends sdk.TypedMessage {}
      sdk.messageType(8)(Eight)
      sdk.realtime.register(Eight)
      await conversation.send(new Eight().setText('other'))
      const query = async (options: object) =>
        (await conversation.queryMessages(options)).map((message: { getText(): string }) => message.getText())
      const { OLD_TO_NEW } = sdk.MessageQueryDirection
      return [await query({ direction: OLD_TO_NEW, limit: 2 }), await query({ type: -1 }), await query({ type: 8 })]
    },
    expected: [['1', '2'], ['1', '2', '3'], ['other']],
  },
  {
    name: 'messages that were missed are counted at the next login, until they are read',
    run: async (sdk, _, { next, until }) => {
      const sam = await sdk.realtime.createIMClient('sam')
      const conversation = await sam.createConversation({ members: ['sue'], unique: false })
      await conversation.send(new sdk.TextMessage('one'))
      const { timestamp } = await conversation.send(new sdk.TextMessage('two'))
      const sue = await sdk.realtime.createIMClient('sue')
      const [[counted]] = await next(sue, 'unreadmessagescountupdate')
      const { unreadMessagesCount, lastMessage, id } = counted
      await counted.read()
      // The receipt arrives slightly later.
      const readAt = async () => +((await conversation.fetchReceiptTimestamps()).lastReadAt ?? 0)
      await until(readAt, (time) => time >= +timestamp)
      await sue.close()
      await conversation.send(new sdk.TextMessage('three'))
      const again = await sdk.realtime.createIMClient('sue')
      const [[recounted]] = await next(again, 'unreadmessagescountupdate')
      return [unreadMessagesCount, lastMessage.getText(), id === conversation.id, recounted.unreadMessagesCount]
    },
    expected: [2, 'two', true, 1],
  },
  {
    name: 'a message is changed and recalled, and the others are told',
    run: async (sdk, _, { next }) => {
      const [tina, tom] = await Promise.all(['tina', 'tom'].map((id) => sdk.realtime.createIMClient(id)))
      const conversation = await tina.createConversation({ members: ['tom'], unique: false })
      const coming = next(tom, 'message')
      const message = await conversation.send(new sdk.TextMessage('first'))
      await coming
      const changing = next(tom, 'messageupdate')
      const newer = await conversation.update(message, new sdk.TextMessage('second'))
      const [changed] = await changing
      const recalling = next(tom, 'messagerecall')
      await conversation.recall(newer)
      const [recalled] = await recalling
      const [stored] = await conversation.queryMessages()
      return [
        changed.getText(),
        changed.id === message.id,
        recalled.id === message.id,
        stored instanceof sdk.RecalledMessage,
      ]
    },
    expected: ['second', true, true, true],
  },
]
