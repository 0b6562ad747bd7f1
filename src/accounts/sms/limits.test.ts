import { describe, expect, it } from 'vitest'
import { checkLimits, type MessageSort, type SentMessage } from './limits.ts'

const code: MessageSort = { kind: 'code', channel: 'sms' }
const notice: MessageSort = { kind: 'notice', channel: 'sms' }
const call: MessageSort = { kind: 'code', channel: 'voice' }

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const sent = (sort: MessageSort, ...ages: number[]): SentMessage[] => ages.map((age) => ({ ...sort, age }))
/** So many messages, the last one five minutes ago, the first one almost a day. */
const many = (sort: MessageSort, count: number) =>
  sent(sort, ...Array.from({ length: count }, (_, index) => (index === 0 ? DAY - 1 : (index + 4) * MINUTE)))

function outcome(message: MessageSort, history: readonly SentMessage[]): unknown {
  try {
    return checkLimits(message, history)
  } catch (error) {
    return error
  }
}

it('a number that was sent nothing is sent anything', () => {
  for (const message of [code, notice, call]) expect(outcome(message, [])).toBeUndefined()
})

describe('10 seconds', () => {
  const text = 'SMS request too fast(1 request per 10s).'

  it.each([code, notice, call])('after a message of any kind %j is too fast', (message) => {
    for (const earlier of [code, notice, call])
      expect(outcome(message, sent(earlier, 10 * SECOND - 1))).toMatchObject({ status: 400, code: 1, message: text })
  })

  it('are not too fast when they are over; then the minute counts', () => {
    expect(outcome(code, sent(code, 10 * SECOND))).toMatchObject({
      status: 400,
      code: 601,
      message: "Can't send SMS too frequently. A number may be sent one message a minute.",
    })
  })
})

it('one message a minute is sent, of whatever kind', () => {
  for (const message of [code, notice, call]) {
    for (const earlier of [code, notice, call]) {
      expect(outcome(message, sent(earlier, MINUTE - 1))).toMatchObject({ code: 601 })
      expect(outcome(message, sent(earlier, MINUTE))).toBeUndefined()
    }
  }
})

const limits: [rule: string, message: MessageSort, history: SentMessage[], others: MessageSort[]][] = [
  ['10 codes in 24 hours', code, many(code, 10), [notice]],
  ['10 codes in 24 hours', call, many(code, 10), [notice]],
  ['15 notices in 24 hours', notice, many(notice, 15), [code, call]],
  ['3 calls an hour', call, sent(call, HOUR - 1, 20 * MINUTE, MINUTE), [code, notice]],
  ['5 calls in 24 hours', call, sent(call, DAY - 1, 9 * HOUR, 8 * HOUR, 2 * HOUR, MINUTE), [code, notice]],
]

describe.each(limits)('%s', (rule, message, history, others) => {
  it(`are the most that a number is sent: ${JSON.stringify(message)}`, () => {
    const error = { code: 601, message: `Can't send SMS too frequently. A number may be sent ${rule}.` }
    expect(outcome(message, history)).toMatchObject(error)
  })

  it('count no longer than their time', () => {
    const [first, ...rest] = history
    const span = rule.endsWith('an hour') ? HOUR : DAY
    expect(outcome(message, [{ ...first!, age: span }, ...rest])).toBeUndefined()
  })

  it('are no limit to other kinds of messages', () => {
    for (const other of others) expect(outcome(other, history)).toBeUndefined()
  })
})

it('calls with a code count as codes too', () => {
  const history = [...sent(call, 8 * HOUR, 9 * HOUR), ...many(code, 8)]
  expect(outcome(code, history)).toMatchObject({ code: 601 })
})
