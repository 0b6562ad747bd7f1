import { expect, it } from 'vitest'
import { NewsBehindAnswers } from './news-behind-answers.ts'

it('what a client of the connection has brought about waits for the end of the turn, and all behind it', async () => {
  const news = new NewsBehindAnswers()
  const delivered: string[] = []
  const deliver = (text: string, isOwn: boolean) => news.deliver(isOwn, () => void delivered.push(text))
  deliver('another', false)
  deliver('own', true)
  deliver('another one', false)
  deliver('own again', true)
  // The answer comes some promises later.
  for (let step = 0; step < 20; step++) await Promise.resolve()
  delivered.push('answer')
  await new Promise(setImmediate)
  expect(delivered).toEqual(['another', 'answer', 'own', 'another one', 'own again'])
  deliver('later', false)
  expect(delivered.at(-1)).toBe('later')
})
