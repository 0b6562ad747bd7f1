import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { compareText } from '../../values/json.ts'
import { KeyStore } from './key-store.ts'

async function all(keys: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = []
  for await (const key of keys) found.push(key)
  return found
}

test('returns keys in character order, separately for each name, with any memory limit', async () => {
  const store = new KeyStore(3000)
  store.open()
  try {
    const ids = Array.from({ length: 5000 }, (_, n) =>
      createHash('sha256').update(String(n)).digest('hex').slice(0, 12),
    )
    const odd = ['a\nb', 'a\u2028b', 'a\u0000b', 'a', '\uffff', '\u{1f600}', 'ä', '"', 'a']
    for (let begin = 0; begin < ids.length; begin += 100) {
      await store.add('Post', ids.slice(begin, begin + 100))
      await store.add(`other ${begin % 700}`, odd)
    }
    expect(await all(store.sorted('Post'))).toEqual([...ids].sort())
    const of = await all(store.sorted('other 0'))
    expect(of).toEqual([...of].sort(compareText))
    expect(of.filter((key) => key === '\u{1f600}')).toHaveLength(8)
    expect(await all(store.sorted('Post'))).toEqual([])
  } finally {
    store.remove()
  }
})
