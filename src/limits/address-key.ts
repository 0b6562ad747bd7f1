/**
 * Returns the key under which an address is counted. A client with an IPv6 address can use the other 2^64 of its network, so a
 * whole network counts as one.
 * @param address IP address; `''` when it is unknown
 */
export function addressKey(address: string): string {
  return address.includes(':') ? networkOf(address) : address
}

/** Returns the first four groups of an IPv6 address in a unique form. */
function networkOf(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('::')
  const before = groups(head)
  const after = tail === undefined ? [] : groups(tail)
  // A trailing IPv4 address counts as two groups.
  const written = before.length + after.length + (address.includes('.') ? 1 : 0)
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - written)
  const all = [...before, ...Array.from({ length: zeros }, () => '0'), ...after]
  return `${all.slice(0, 4).map(withoutZeros).join(':')}::/64`
}

function groups(part: string): string[] {
  return part === '' ? [] : part.split(':')
}

function withoutZeros(group: string): string {
  return group.replace(/^0+(?=.)/, '')
}
