import { setImmediate as nextIteration } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Sequence } from './sequence.ts'

/** Work that ends when the test ends it. */
function work(name: string) {
  let settle: (fault?: Error) => void = () => {}
  const promise = new Promise<string>((resolve, reject) => {
    settle = (fault) => (fault ? reject(fault) : resolve(name))
  })
  return { promise, end: () => settle(), fail: () => settle(new Error(name)) }
}

it('runs work one after the other, also after failures', async () => {
  const sequence = new Sequence()
  const begun: string[] = []
  const works = ['first', 'second', 'third'].map((name) => {
    const { promise, ...ends } = work(name)
    const result = sequence.run(() => {
      begun.push(name)
      return promise
    })
    return { result, ...ends }
  })
  await nextIteration()
  expect(begun).toEqual(['first'])
  works[0]!.fail()
  await expect(works[0]!.result).rejects.toThrow('first')
  await nextIteration()
  expect(begun).toEqual(['first', 'second'])
  works[2]!.end()
  works[1]!.end()
  expect(await works[2]!.result).toBe('third')
  await sequence.ended()
  expect(begun).toEqual(['first', 'second', 'third'])
})

it('orders the results of concurrent work, including failures', async () => {
  const sequence = new Sequence()
  const order: string[] = []
  const add = (name: string) => {
    const { promise, ...ends } = work(name)
    const result = sequence.order(promise).then(
      (text) => void order.push(text),
      (error: Error) => void order.push(`${error.message} failed`),
    )
    return { result, ...ends }
  }
  const [first, second, third, fourth] = [add('first'), add('second'), add('third'), add('fourth')] as const
  fourth.end()
  third.fail()
  second.end()
  await nextIteration()
  expect(order).toEqual([])
  first.end()
  await fourth.result
  expect(order).toEqual(['first', 'second', 'third failed', 'fourth'])
  const fifth = add('fifth')
  fifth.end()
  await fifth.result
  expect(order.at(-1)).toBe('fifth')
})
