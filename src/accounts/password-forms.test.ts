import { expect, it } from 'vitest'
import { exportedPair, readStoredForm, storedFormOf } from './password-forms.ts'

const digest = Buffer.alloc(64, 7).toString('base64')
const argon2id = (parameters: string) => `$argon2id$v=19$${parameters}$${'A'.repeat(22)}$${'B'.repeat(43)}`
const bcrypt = (start: string) => start + 'a'.repeat(53)

it('stores a salt of letters and digits unchanged', () => {
  expect(storedFormOf(digest, 'h60d8x797d3oa0na')).toBe(`$sha512-512$h60d8x797d3oa0na$${digest}`)
})

it.each(['', 'h60d8x797d3oa0na', '$', 'a$b%24', '%', 'a/b+c==', '盐 \u0000\n'])(
  'returns the exported pair unchanged from the stored form, with the salt %j',
  (salt) => {
    const stored = storedFormOf(digest, salt)
    expect(stored).not.toContain('\u0000')
    expect(exportedPair(stored)).toEqual({ password: digest, salt })
  },
)

it.each([
  ['an empty text', ''],
  ['63 bytes', Buffer.alloc(63).toString('base64')],
  ['65 bytes', Buffer.alloc(65).toString('base64')],
  ['other characters', `${digest.slice(0, 40)}\n${digest.slice(40)}`],
  ['the alphabet of URLs', Buffer.alloc(64, 255).toString('base64url')],
  ['no padding', digest.replace('==', '')],
  ['unused bits that are not zero', `${digest.slice(0, 85)}x==`],
])('rejects a digest of %s without repeating it in the error', (_name, password) => {
  expect(() => storedFormOf(password, 'salt')).toThrow(expect.objectContaining({ code: 1 }))
  expect(() => storedFormOf(password, 'salt')).toThrow(/^The 'password' of an exported user must be 64 bytes/)
  expect(exportedPair(`$sha512-512$salt$${password}`)).toBeNull()
})

it('rejects a salt that is not Unicode text, because it could not be stored unchanged', () => {
  expect(() => storedFormOf(digest, 'a\ud800')).toThrow(expect.objectContaining({ code: 1 }))
})

it.each([
  argon2id('m=19456,t=2,p=1'),
  bcrypt('$2b$10$'),
  digest,
  `$sha512-512$${digest}`,
  `$sha512-512$a$b$${digest}`,
  `$sha512-512$100%$${digest}`,
])('does not read %s as an exported form', (stored) => expect(exportedPair(stored)).toBeNull())

it.each([
  ['m=19456,t=2,p=1', false],
  ['m=65536,t=3,p=4', false],
  ['m=19455,t=2,p=1', true],
  ['m=9216,t=4,p=1', true],
  ['m=65536,t=1,p=1', true],
])('argon2id with %s is outdated: %s', (parameters, outdated) => {
  expect(readStoredForm(argon2id(parameters))).toMatchObject({ kind: 'argon2id', outdated })
})

it.each([bcrypt('$2a$04$'), bcrypt('$2b$10$'), bcrypt('$2y$16$'), storedFormOf(digest, 'salt')])(
  '%s is outdated, whatever its cost',
  (stored) => expect(readStoredForm(stored)).toMatchObject({ outdated: true }),
)

it.each([
  argon2id('m=262145,t=2,p=1'),
  argon2id('m=9999999999,t=2,p=1'),
  argon2id('m=19456,t=17,p=1'),
  bcrypt('$2b$17$'),
  bcrypt('$2b$31$'),
])('rejects %s as too expensive to check', (stored) => expect(readStoredForm(stored)).toBeNull())
