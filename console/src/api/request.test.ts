import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Problem, path, request } from './request.ts'

describe('an API path', () => {
  it.each(['', '.', '..'])('rejects the part %j, which would lead elsewhere', (part) => {
    expect(() => path`/1.2/rtm/service-conversations/${'c'}/subscribers/${part}`).toThrow(Problem)
    expect(() => request('GET', '/admin/apps/{appId}', { params: { appId: part } })).toThrow(Problem)
  })

  it('has the named number of parts, and browsers leave them unchanged', () => {
    const part = fc
      .array(fc.constantFrom(...'./\\%2e?#;:@ aé\t'), { minLength: 1, maxLength: 6 })
      .map((all) => all.join(''))
    const parts = part.filter((text) => text !== '.' && text !== '..')
    fc.assert(
      fc.property(parts, parts, (one, two) => {
        const url = new URL(path`/admin/${one}/x/${two}`, 'http://localhost')
        expect(url.host + url.search + url.hash).toBe('localhost')
        expect(url.pathname.split('/').map(decodeURIComponent)).toEqual(['', 'admin', one, 'x', two])
      }),
    )
  })

  it('is built with `path` wherever it has variable parts', () => {
    const root = join(import.meta.dirname, '..')
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /(?<!\.test)\.tsx?$/.test(file),
    )
    const plain = files.flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/(?<!path)`(\/(?:1\.[12]|admin)\/[^`]*\$\{[^`]*)`/g)].map(
        ([, text]) => text!,
      ),
    )
    // A list of segments, a number, and a text that is only compared.
    const known = ['/1.1/files/', '/1.1/scheduledPushMessages/', '/admin/apps/']
    expect(plain.map((text) => text.replace(/\$\{.*/, '')).sort()).toEqual(known)
  })
})
