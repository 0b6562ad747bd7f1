/** The text of a message as the official clients write it, with a number by which it is known again. */
export function textOf(number: number): string {
  const written = `Message number ${String(number).padStart(9, '0')}, about as long as what people write to each other.`
  return JSON.stringify({ _lctype: -1, _lctext: written })
}

/** The number of a message. @throws Error when it is none of ours */
export function numberIn(text: string | undefined): number {
  const number = text && /number (\d+)/.exec(text)?.[1]
  if (!number) throw new Error('A message has arrived that nobody has sent.')
  return Number(number)
}
