/** Users need a password, files their bytes and roles a name: these are made on pages of their own. */
export function mayAddRows(className: string): boolean {
  return className !== '_User' && className !== '_File' && className !== '_Role'
}

/** Records of files stay as they are: others are made in their place. */
export function mayChangeRows(className: string): boolean {
  return className !== '_File'
}
