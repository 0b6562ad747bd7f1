import { describe, expect, it, test } from 'vitest'
import { allowsOrigin, isOwnOrigin, isWebOriginPattern } from './web-origins.ts'

test.each([
  ['https://example.org', true],
  ['http://localhost:8080', true],
  ['https://*.example.org', true],
  ['https://[2001:db8::1]:8443', true],
  ['capacitor://localhost', true],
  ['null', true],
  ['example.org', false],
  ['https://example.org/', false],
  ['https://example.org/page', false],
  ['https://user@example.org', false],
  ['https://a.*.example.org', false],
  ['https://*', false],
  ['*', false],
  ['', false],
])('accepts %j as a pattern of origins: %s', (text, is) => expect(isWebOriginPattern(text)).toBe(is))

test.each([
  [[], 'https://anywhere.example', true],
  [['https://example.org'], undefined, true],
  [['https://example.org'], 'https://example.org', true],
  [['https://example.org'], 'https://EXAMPLE.org:443', true],
  [['https://example.org:443'], 'https://example.org', true],
  [['https://example.org'], 'http://example.org', false],
  [['https://example.org'], 'https://example.org:8443', false],
  [['https://example.org'], 'https://example.org.evil.example', false],
  [['https://example.org'], 'null', false],
  [['null'], 'null', true],
  [['https://*.example.org'], 'https://a.b.example.org', true],
  [['https://*.example.org'], 'https://example.org', false],
  [['https://*.example.org'], 'https://.example.org', false],
  [['https://*.example.org'], 'https://badexample.org', false],
  [['https://*.example.org'], 'http://a.example.org', false],
  [['https://*.example.org'], 'https://evil.example/.example.org', false],
  [['https://one.example', 'https://two.example'], 'https://two.example', true],
] as [string[], string | undefined, boolean][])('with %j allowed, accepts the origin %j: %s', (allowed, origin, does) =>
  expect(allowsOrigin(allowed, origin)).toBe(does),
)

describe("the server's own origin", () => {
  it.each([
    ['https://api.example.org', 'api.example.org', true],
    ['http://localhost:3000', 'localhost:3000', true],
    ['https://api.example.org', 'api.example.org:443', true],
    ['https://example.org', 'api.example.org', false],
    ['null', 'api.example.org', false],
    ['https://api.example.org', null, false],
  ])('is recognized in %s for %s: %s', (origin, host, is) => expect(isOwnOrigin(origin, host)).toBe(is))
})
