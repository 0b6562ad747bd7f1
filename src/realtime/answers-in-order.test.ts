import { expect, it } from 'vitest'
import { AnswersInOrder } from './answers-in-order.ts'

it('answers come in the order of the questions, those that fail too', async () => {
  const answers = new AnswersInOrder()
  const order: string[] = []
  const ask = (name: string) => {
    const note = (text: string) => void order.push(text)
    let settle: (fault?: Error) => void = () => {}
    const answer = new Promise<string>((resolve, reject) => {
      settle = (fault) => (fault ? reject(fault) : resolve(name))
    })
    const told = answers.next(answer).then(note, (error: Error) => note(`no ${error.message}`))
    return { answer: () => settle(), fail: () => settle(new Error(name)), told }
  }
  const [first, second, third, fourth] = [ask('first'), ask('second'), ask('third'), ask('fourth')] as const
  fourth.answer()
  third.fail()
  second.answer()
  await new Promise((resolve) => setImmediate(resolve))
  expect(order).toEqual([])
  first.answer()
  await fourth.told
  expect(order).toEqual(['first', 'second', 'no third', 'fourth'])
  const fifth = ask('fifth')
  fifth.answer()
  await fifth.told
  expect(order.at(-1)).toBe('fifth')
})
