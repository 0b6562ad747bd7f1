/** Whether one of the texts in a command has a NUL character, which the database does not take. */
export function hasNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\u0000')
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return false
  return Object.values(value).some(hasNul)
}
