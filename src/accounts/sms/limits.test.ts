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
/** That many messages, the last one five minutes ago, the first one almost a day ago. */
const many = (sort: MessageSort, count: number) =>
  sent(sort, ...Array.from({ length: count }, (_, index) => (index === 0 ? DAY - 1 : (index + 4) * MINUTE)))

function outcome(message: MessageSort, history: readonly SentMessage[]): unknown {
  try {
    return checkLimits(message, history)
  } catch (error) {
    return error
  }
}

it('allows any message to a number that was sent none', () => {
  for (const message of [code, notice, call]) expect(outcome(message, [])).toBeUndefined()
})

describe('the minimum of 10 seconds between messages', () => {
  const text = 'SMS request too fast(1 request per 10s).'

  it.each([code, notice, call])('rejects %j after a message of any kind', (message) => {
    for (const earlier of [code, notice, call])
      expect(outcome(message, sent(earlier, 10 * SECOND - 1))).toMatchObject({ status: 400, code: 1, message: text })
  })

  it('leaves only the limit per minute once it has passed', () => {
    expect(outcome(code, sent(code, 10 * SECOND))).toMatchObject({
      status: 400,
      code: 601,
      message: "Can't send SMS too frequently. The limit for a phone number is one message a minute.",
    })
  })
})

it('allows one message a minute, of any kind', () => {
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
  it(`limits the number: ${JSON.stringify(message)}`, () => {
    const error = { code: 601, message: `Can't send SMS too frequently. The limit for a phone number is ${rule}.` }
    expect(outcome(message, history)).toMatchObject(error)
  })

  it('counts only messages within the period', () => {
    const [first, ...rest] = history
    const span = rule.endsWith('an hour') ? HOUR : DAY
    expect(outcome(message, [{ ...first!, age: span }, ...rest])).toBeUndefined()
  })

  it('does not limit other kinds of messages', () => {
    for (const other of others) expect(outcome(other, history)).toBeUndefined()
  })
})

it('counts calls with a code as codes, too', () => {
  const history = [...sent(call, 8 * HOUR, 9 * HOUR), ...many(code, 8)]
  expect(outcome(code, history)).toMatchObject({ code: 601 })
})
