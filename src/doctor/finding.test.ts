import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { failure, fine, problemIds, warning } from './finding.ts'

describe('a finding', () => {
  it('has an id derived from its code, and a fix if it is a problem', () => {
    expect(fine('doctorRedis', { version: '7.2.1', server: 'localhost:6379' })).toMatchObject({
      level: 'ok',
      id: 'redis',
      fix: null,
    })
    expect(warning('doctorSmtpNone')).toEqual({
      level: 'warning',
      id: 'smtp-none',
      text: { code: 'doctorSmtpNone' },
      fix: { code: 'doctorSmtpNoneFix' },
    })
    expect(failure('doctorPublicUrlNoWebSocket', { url: 'https://a', reason: 'b' })).toMatchObject({
      level: 'error',
      id: 'public-url-no-web-socket',
    })
  })

  it.each(['operations.md', 'operations.zh-CN.md'])('is documented in %s, if it is a problem', (page) => {
    const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8')
    expect(problemIds().filter((id) => !text.includes(`\`${id}\``))).toEqual([])
  })
})
