/** Texts, and numbers outside of them. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
/** No shorter number can be beyond 2^53. */
const LONG_NUMBER = /\d{16}/

/**
 * The integers of a JSON text that are not the same when a client has read them: those beyond 2^53 that no double equals.
 * @returns a note, or none
 */
export function inexactIntegers(text: string): string[] {
  if (!LONG_NUMBER.test(text)) return []
  for (const [token] of text.matchAll(TOKENS)) {
    if (token.length < 16 || !/^-?\d+$/.test(token)) continue
    if (BigInt(Number(token)) !== BigInt(token)) return ['a number beyond 2^53, which is rounded']
  }
  return []
}
