import { randomInt } from 'node:crypto'
import { CAPTCHA_ALPHABET } from './captcha-font.ts'

const STEPS = 2 ** 32

/** Returns a number from 0 (inclusive) to 1 (exclusive), like `Math.random`, but cryptographically secure. */
export function unguessable(): number {
  return randomInt(STEPS) / STEPS
}

/** Returns the text of a new captcha: capital letters and digits that cannot be confused. */
export function captchaText(size: number, random: () => number = unguessable): string {
  const choose = () => CAPTCHA_ALPHABET[Math.floor(random() * CAPTCHA_ALPHABET.length)]
  return Array.from({ length: size }, choose).join('')
}
