import { randomBytes } from 'node:crypto'

/** A second has room for half of all counts, so that none begins anew within it. */
const HALF = 0x7fffff
const ALL = 0xffffff

/**
 * A source of object ids: 24 lowercase hexadecimal characters, of which the first 8 are the creation time in seconds.
 * Its ids grow with every call within a second; those of several sources sort by their second.
 * @param node 10 hexadecimal characters that no other source has
 * @param start where it begins to count, below 2 ** 24
 */
export function objectIds(node: string, start: number): (now?: number) => string {
  let counter = start
  let second = -1
  let prefix = ''
  return (now = Date.now()) => {
    const current = Math.floor(now / 1000)
    if (current !== second) {
      second = current
      prefix = current.toString(16).padStart(8, '0') + node
      counter &= HALF
    }
    counter = (counter + 1) & ALL
    return prefix + counter.toString(16).padStart(6, '0')
  }
}

/** A new object id, by the time given in milliseconds. The process has one source of them. */
export const newObjectId = objectIds(randomBytes(5).toString('hex'), randomBytes(3).readUIntBE(0, 3))
