const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const DOMAIN = /^([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$/

/**
 * Whether a text is a mail address as providers give them out: `name@example.org`, 254 characters at most. Quoted names,
 * comments and addresses without a domain are refused; so is everything that would mean something in a mail header.
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

/** The part of an address that may be logged. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1)
}
