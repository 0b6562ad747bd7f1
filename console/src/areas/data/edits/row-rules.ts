/** Returns whether rows can be added: users need a password, files their bytes and roles a name, so they have separate pages. */
export function mayAddRows(className: string): boolean {
  return className !== '_User' && className !== '_File' && className !== '_Role'
}

/** Returns whether rows can be changed: file records are immutable. */
export function mayChangeRows(className: string): boolean {
  return className !== '_File'
}
