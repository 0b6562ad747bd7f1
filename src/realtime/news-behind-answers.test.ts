import { expect, it } from 'vitest'
import { NewsBehindAnswers } from './news-behind-answers.ts'

it('what a client of the connection has brought about waits for the end of the turn, and all behind it', async () => {
  const news = new NewsBehindAnswers()
  const told: string[] = []
  const tell = (text: string, isOwn: boolean) => news.tell(isOwn, () => void told.push(text))
  tell('another', false)
  tell('own', true)
  tell('another one', false)
  tell('own again', true)
  // The answer comes some promises later.
  for (let step = 0; step < 20; step++) await Promise.resolve()
  told.push('answer')
  await new Promise(setImmediate)
  expect(told).toEqual(['another', 'answer', 'own', 'another one', 'own again'])
  tell('later', false)
  expect(told.at(-1)).toBe('later')
})
