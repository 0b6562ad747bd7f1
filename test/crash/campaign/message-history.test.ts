import { describe, expect, it } from 'vitest'
import { differencesOfMessages, MessageHistory, RECALLED, type StoredConversation } from './message-history.ts'

const READER = 'reader'

/** Returns four acknowledged messages and an unacknowledged one, with their correct stored form. */
function example(): { history: MessageHistory; stored: StoredConversation } {
  const history = new MessageHistory()
  for (const [sequence, content] of ['one', 'two', 'three', 'four'].entries()) {
    const sent = history.send(content, sequence === 3 ? READER : 'tom', sequence)
    Object.assign(sent, { outcome: 'done', id: content, ts: 10 * (sequence + 1), connection: 1 })
  }
  history.sent.get('two')!.edits.push({ content: 'better', outcome: 'done' })
  history.sent.get('three')!.edits.push({ content: RECALLED, outcome: 'unknown' })
  history.send('perhaps', 'tom', 4)
  history.send('refused', 'tom', 5).outcome = 'refused'
  history.receive('a', { id: 'one', ts: 10, content: 'one' })
  history.receive('a', { id: 'two', ts: 20, content: 'two' })
  Object.assign(history.marks, { shown: 10, asked: 20 })
  const message = (id: string, ts: number, sender: string, content: string) => ({ id, ts, sender, content })
  return {
    history,
    stored: {
      messages: [
        message('one', 10, 'tom', 'one'),
        message('two', 20, 'tom', 'better'),
        message('three', 30, 'tom', 'three'),
        message('four', 40, READER, 'four'),
      ],
      unread: { absent: 4, reader: 2 },
      readAt: 10,
    },
  }
}

/** Returns the example with changed stored messages. */
function changed(change: (messages: StoredConversation['messages']) => StoredConversation['messages']) {
  const { history, stored } = example()
  const messages = change(stored.messages)
  const after = messages.filter(({ ts, sender }) => ts > stored.readAt && sender !== READER).length
  return { history, stored: { ...stored, messages, unread: { absent: messages.length, reader: after } } }
}

const differencesIn = ({ history, stored }: ReturnType<typeof example>) =>
  differencesOfMessages(history, stored, READER).join('\n')

describe('differencesOfMessages', () => {
  it('reports nothing when every confirmed write exists once, whatever happened to unconfirmed writes', () => {
    expect(differencesIn(example())).toBe('')
    const perhaps = { id: 'p', ts: 50, sender: 'tom', content: 'perhaps' }
    expect(differencesIn(changed((messages) => [...messages, perhaps]))).toBe('')
    expect(
      differencesIn(changed((all) => all.map((one) => (one.id === 'three' ? { ...one, content: RECALLED } : one)))),
    ).toBe('')
  })

  it.each<[string, Parameters<typeof changed>[0], RegExp]>([
    ['lost', ([, ...rest]) => rest, /'one' was acknowledged as one and is gone/],
    ['stored twice', (all) => [...all, { ...all[0]!, id: 'again', ts: 60 }], /'one' is there 2 times/],
    ['of nobody', (all) => [...all, { ...all[0]!, id: 'z', ts: 60, content: 'z' }], /nobody sent the message z/],
    [
      'refused and stored',
      (all) => [...all, { ...all[0]!, id: 'z', ts: 60, content: 'refused' }],
      /refused and is there/,
    ],
    ['out of order', ([one, two, ...rest]) => [two!, one!, ...rest], /has the time 10, and the one before it 20/],
    ['of another time', ([one, ...rest]) => [{ ...one!, ts: 11 }, ...rest], /with the time 10 and has 11/],
    ['of another sender', ([one, ...rest]) => [{ ...one!, sender: 'eve' }, ...rest], /of tom is one of eve/],
    ['not edited', ([one, two, ...rest]) => [one!, { ...two!, content: 'two' }, ...rest], /says 'two', not better/],
  ])('reports a message that is %s', (_, change, difference) => {
    expect(differencesIn(changed(change))).toMatch(difference)
  })

  it('reports messages of one connection that are out of order', () => {
    const { history, stored } = example()
    const [one, two] = [history.sent.get('one')!, history.sent.get('two')!]
    Object.assign(one, { id: 'two', ts: 20, edits: two.edits })
    Object.assign(two, { id: 'one', ts: 10, edits: [] })
    expect(differencesIn({ history, stored })).toMatch(/'two' stands before one that was sent before it/)
  })

  it.each<[string, { id: string; ts: number; content: string }, RegExp]>([
    ['twice', { id: 'two', ts: 20, content: 'two' }, /was told two twice/],
    ['out of order', { id: 'one', ts: 10, content: 'one' }, /was told one of 10 behind a later one/],
    ['that is not stored', { id: 'z', ts: 60, content: 'one' }, /'one', which is not there/],
    ['with another time', { id: 'three', ts: 31, content: 'three' }, /with the time 31, and it has 30/],
    ['that nobody sent', { id: 'three', ts: 30, content: 'z' }, /which nobody sent/],
  ])('reports that a connection was notified of a message %s', (_, received, difference) => {
    const { history, stored } = example()
    history.receive('a', received)
    expect(differencesIn({ history, stored })).toMatch(difference)
  })

  it('reports wrong unread counts and read marks that moved back', () => {
    const { history, stored } = example()
    expect(differencesIn({ history, stored: { ...stored, unread: { absent: 3, reader: 2 } } })).toMatch(/has 3 unread/)
    expect(differencesIn({ history, stored: { ...stored, unread: { absent: 4, reader: 3 } } })).toMatch(/has 3 unread/)
    expect(differencesIn({ history, stored: { ...stored, readAt: 0 } })).toMatch(/up to 0, not from 10 to 20/)
    expect(differencesIn({ history, stored: { ...stored, readAt: 30 } })).toMatch(/up to 30, not from 10 to 20/)
  })
})
