import { describe, expect, it } from 'vitest'
import { HttpFailure, type HttpFailureKind } from './http-failure.ts'
import { isLastingFailure } from './lasting-failure.ts'

describe('isLastingFailure', () => {
  it.each<[HttpFailureKind, string, boolean]>([
    ['unreachable', 'ENOTFOUND', true],
    ['unreachable', 'EAI_AGAIN', true],
    ['unreachable', 'ECONNREFUSED', true],
    ['unreachable', 'CERT_HAS_EXPIRED', true],
    ['unreachable', 'DEPTH_ZERO_SELF_SIGNED_CERT', true],
    ['unreachable', 'ERR_TLS_CERT_ALTNAME_INVALID', true],
    ['unreachable', 'HPE_INVALID_CONSTANT', true],
    ['unreachable', 'ERR_SSL_WRONG_VERSION_NUMBER', true],
    ['private', 'PRIVATE_ADDRESS', true],
    ['unusable', 'TypeError', true],
    ['unreachable', 'ECONNRESET', false],
    ['unreachable', 'UND_ERR_SOCKET', false],
    ['unreachable', 'UND_ERR_CONNECT_TIMEOUT', false],
    ['timeout', 'TimeoutError', false],
    ['stopped', 'AbortError', false],
  ])('%s with %s: %s', (kind, reason, expected) => {
    expect(isLastingFailure(new HttpFailure(kind, reason))).toBe(expected)
  })

  it('counts other errors as temporary', () => {
    expect(isLastingFailure(new Error('ENOTFOUND'))).toBe(false)
  })
})
