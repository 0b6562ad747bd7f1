/** Returns the text of a message as the official clients encode it, with a number that identifies it. */
export function textOf(number: number): string {
  const written = `Message number ${String(number).padStart(9, '0')}, about as long as what people write to each other.`
  return JSON.stringify({ _lctype: -1, _lctext: written })
}

/**
 * Returns the number of a message.
 * @throws Error when it is not from this benchmark
 */
export function numberIn(text: string | undefined): number {
  const number = text && /number (\d+)/.exec(text)?.[1]
  if (!number) throw new Error('A message has arrived that nobody has sent.')
  return Number(number)
}
