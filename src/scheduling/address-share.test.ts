import { expect, it } from 'vitest'
import { type AddressShare, mayHave } from './address-share.ts'

/** Grants one unit at a time to each address in rotation, until no address gets another. @returns the units each address holds */
function fill(share: AddressShare, addresses: number): number[] {
  const own = new Array<number>(addresses).fill(0)
  const all = () => own.reduce((sum, one) => sum + one, 0)
  for (let grown = true; grown; ) {
    grown = false
    for (let index = 0; index < addresses; index++) {
      if (all() >= share.inAll || !mayHave(share, own[index]!, all())) continue
      own[index]!++
      grown = true
    }
  }
  return own
}

it.each([
  { share: { guaranteed: 0, inAll: 900, times: 8 }, addresses: 1, each: 800 },
  { share: { guaranteed: 0, inAll: 1700, times: 8 }, addresses: 2, each: 800 },
  { share: { guaranteed: 10, inAll: 100, times: 1 }, addresses: 1, each: 50 },
  { share: { guaranteed: 10, inAll: 90, times: 1 }, addresses: 2, each: 30 },
  { share: { guaranteed: 10, inAll: 1000, times: 1 }, addresses: 99, each: 10 },
  { share: { guaranteed: 10, inAll: 100, times: 1 }, addresses: 10, each: 10 },
])('gives $addresses addresses $each of $share.inAll each', ({ share, addresses, each }) => {
  expect(fill(share, addresses)).toEqual(new Array(addresses).fill(each))
})

it('keeps capacity free for the next address, however much other addresses hold', () => {
  const share = { guaranteed: 0, inAll: 900, times: 8 }
  expect(mayHave(share, 800, 800)).toBe(false)
  expect(mayHave(share, 0, 800)).toBe(true)
})

it('counts the full amount requested at once', () => {
  const share = { guaranteed: 40, inAll: 100, times: 0.25 }
  expect([mayHave(share, 20, 20, 20), mayHave(share, 20, 20, 21)]).toEqual([true, false])
})
