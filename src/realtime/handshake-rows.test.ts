import { expect, it } from 'vitest'
import { HandshakeRows } from './handshake-rows.ts'

/** Rows, with the outcome of each handshake: `address number`. */
function rowsOf(max: number) {
  const rows = new HandshakeRows(max)
  const refused: string[] = []
  const begun: string[] = []
  const knock = (address: string, count: number) => {
    for (let number = 1; number <= count; number++) {
      const name = `${address} ${number}`
      rows.add({ address, begin: () => begun.push(name), refuse: () => refused.push(name) })
    }
  }
  const take = (count: number) => {
    for (let taken = 0; taken < count; taken++) rows.take()?.begin()
    return begun.splice(0)
  }
  return { rows, refused, knock, take }
}

it('serves addresses round robin, each in order', () => {
  const { rows, knock, take } = rowsOf(100)
  knock('a', 3)
  knock('b', 1)
  knock('c', 2)
  expect(rows.size).toBe(6)
  expect(take(10)).toEqual(['a 1', 'b 1', 'c 1', 'a 2', 'c 2', 'a 3'])
  expect(rows.size).toBe(0)
})

it('rejects the last handshake of the address with the most when too many are waiting', () => {
  const { rows, refused, knock, take } = rowsOf(5)
  knock('a', 7)
  expect(refused).toEqual(['a 6', 'a 7'])
  knock('b', 2)
  expect(refused.splice(0)).toEqual(['a 6', 'a 7', 'a 5', 'a 4'])
  knock('b', 1)
  expect(refused).toEqual(['b 1'])
  expect(rows.size).toBe(5)
  expect(take(10)).toEqual(['a 1', 'b 1', 'a 2', 'b 2', 'a 3'])
})

it('rejects the newest handshake when all addresses have one', () => {
  const { refused, knock } = rowsOf(3)
  for (const address of ['a', 'b', 'c', 'd']) knock(address, 1)
  expect(refused).toEqual(['d 1'])
})

it('counts the addresses of a network as one', () => {
  const { refused, knock } = rowsOf(4)
  for (let number = 1; number <= 4; number++) knock(`2001:db8::${number}`, 1)
  knock('192.0.2.1', 1)
  expect(refused).toEqual(['2001:db8::4 1'])
})

it('rejects all waiting handshakes', () => {
  const { rows, refused, knock } = rowsOf(4)
  knock('a', 2)
  knock('b', 1)
  rows.clear()
  expect(refused).toEqual(['a 1', 'b 1', 'a 2'])
  expect(rows.size).toBe(0)
})
