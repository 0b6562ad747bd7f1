import { randomInt } from 'node:crypto'
import { CAPTCHA_ALPHABET } from './captcha-font.ts'

const STEPS = 2 ** 32

/** A number from 0 up to 1, like `Math.random`, that nobody can guess from those before it. */
export function unguessable(): number {
  return randomInt(STEPS) / STEPS
}

/** The text of a new captcha: capital letters and digits that cannot be taken for one another. */
export function captchaText(size: number, random: () => number = unguessable): string {
  const choose = () => CAPTCHA_ALPHABET[Math.floor(random() * CAPTCHA_ALPHABET.length)]
  return Array.from({ length: size }, choose).join('')
}
