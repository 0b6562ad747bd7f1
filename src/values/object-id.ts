import { randomBytes } from 'node:crypto'

const node = randomBytes(5).toString('hex')
let counter = randomBytes(3).readUIntBE(0, 3)

let second = -1
let prefix = ''

/**
 * A new object id: 24 lowercase hexadecimal characters, of which the first 8 are the creation time in seconds.
 * Ids of one process grow with every call within a second; across processes they sort by their second.
 */
export function newObjectId(now: number = Date.now()): string {
  const current = Math.floor(now / 1000)
  if (current !== second) {
    second = current
    prefix = current.toString(16).padStart(8, '0') + node
  }
  counter = (counter + 1) & 0xffffff
  return prefix + counter.toString(16).padStart(6, '0')
}
