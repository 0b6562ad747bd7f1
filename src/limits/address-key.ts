/**
 * What stands for an address where addresses are counted. Whoever has an IPv6 address has the 2^64 others of its network
 * too, so these count as one.
 * @param address IP address; `''` when it is not known
 */
export function addressKey(address: string): string {
  return address.includes(':') ? networkOf(address) : address
}

/** The first four groups of an IPv6 address, in the form that each has in one way only. */
function networkOf(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('::')
  const before = groups(head)
  const after = tail === undefined ? [] : groups(tail)
  // An IPv4 address at the end stands for two groups.
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
