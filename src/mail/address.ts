const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const DOMAIN = /^([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$/

/**
 * Returns whether a text is a mail address as providers issue them: `name@example.org`, at most 254 characters. Rejects
 * quoted names, comments and addresses without a domain, and thereby everything with a meaning in a mail header.
 */
export function isMailAddress(text: unknown): text is string {
  if (typeof text !== 'string' || text.length > 254) return false
  const at = text.indexOf('@')
  const domain = text.slice(at + 1)
  return at <= 64 && LOCAL_PART.test(text.slice(0, at)) && DOMAIN.test(domain) && domain.split('.').every(isLabel)
}

function isLabel(label: string): boolean {
  return label.length <= 63
}

/** Returns the part of an address that may be logged. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1)
}
