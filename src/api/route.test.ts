import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ok } from './call.ts'
import { byteEndpoints, endpoints } from './endpoints.ts'
import { adminRoute, route } from './route.ts'

/** The parts of paths that are not parameters: `1.1`, `classes`, `admin` … */
const parts = new Set(
  [...endpoints, ...byteEndpoints]
    .flatMap(({ path }) => path.split('/'))
    .filter((part) => /^\w/.test(part) && !part.includes(':')),
)
const PART = [...parts].map((part) => part.replaceAll('.', '\\.')).join('|')
const ESCAPED_PART = [...parts].map((part) => part.replaceAll('.', '\\\\?\\.')).join('|')

/** A regular expression with a slash next to a part of a path. */
const PATTERN = new RegExp(`\\\\/[(?:^]*(?:${ESCAPED_PART})(?![\\w-])|(?<![\\w-])(?:${ESCAPED_PART})[)?]*\\\\/`)
/** A comparison with the beginning, the middle or the end of a path. */
const COMPARISON = new RegExp(`(?:startsWith|endsWith|includes|indexOf)\\(\\s*['"\`]/(?:${PART})(?![\\w-])`)
/** A path as a text. */
const LITERAL = new RegExp(`['"\`]/(?:${PART})(?![\\w-])`)

/** Lines that depend on a path but are not properties of a route. */
const EXPECTED = [
  // A host may serve only files, whatever endpoints there are.
  `src/api/file-host-paths.ts: return filesHost !== null && host() === filesHost && !url.startsWith('/files/') ? NOTHING : url`,
  // Responses at URLs without an endpoint also carry the headers of the management API.
  `src/api/http/create-http-server.ts: if (request.url.startsWith('/admin/')) reply.headers(managementHeaders)`,
  // The format of a parameter.
  `src/api/admin/me.ts: const toDownload = z.strictObject({ path: z.string().startsWith('/admin/').max(500) })`,
]

const handler = async () => ok({})

describe('properties of a route are declared at the route', () => {
  it('requires at compile time the properties without a safe default', () => {
    // @ts-expect-error: `rate` is missing, the limit that counts a call
    route({ method: 'POST', path: '/1.1/sample', handler })
    // @ts-expect-error: `need` is missing, the right that an administrator requires
    adminRoute({ method: 'GET', path: '/admin/sample', handler })
    expect(route({ method: 'GET', path: '/1.1/sample', rate: 'reads', handler })).toMatchObject({
      adminReadable: false,
      inBatch: true,
      takesBytes: null,
    })
  })

  it('has no regular expression or comparison that decides by paths', () => {
    const found = linesOf(['src/api', 'src/limits', 'src/scheduling', 'src/server.ts']).filter(
      ({ code }) => PATTERN.test(code) || COMPARISON.test(code),
    )
    expect(found.map(({ file, code }) => `${file}: ${code}`).toSorted()).toEqual(EXPECTED.toSorted())
  })

  it('has no list of paths where requests are received, counted and answered', () => {
    const found = linesOf(['src/api/http', 'src/limits', 'src/scheduling']).filter(({ code }) => LITERAL.test(code))
    expect(found.filter(({ file, code }) => !EXPECTED.includes(`${file}: ${code}`))).toEqual([])
  })

  it.each([
    "['pushes', /POST/, /^\\/1\\.1\\/push(\\/devices)?$/],",
    'const FILES = /^\\/1(\\.1)?\\/files\\//',
    "['logins', /PUT/, /\\/updatePassword$/],",
    "return path.startsWith('/admin/')",
    'if (path.startsWith(`/1.1/batch`))',
  ])('finds %s', (code) => {
    expect(PATTERN.test(code) || COMPARISON.test(code)).toBe(true)
  })

  it.each([
    'const MEDIA_TYPE = /^\\s*([\\w.]+\\/[\\w.]+)\\s*(?=;|$)/',
    'if (!/^application\\/json\\s*(;|$)/i.test(type))',
    "route({ method: 'GET', path: '/1.1/date', rate: 'reads' })",
  ])('ignores %s', (code) => {
    expect(PATTERN.test(code) || COMPARISON.test(code)).toBe(false)
  })
})

/** Returns the lines of files, and of the files in folders, without tests and comments. */
function linesOf(paths: readonly string[]): { readonly file: string; readonly code: string }[] {
  return paths
    .flatMap((path) =>
      path.endsWith('.ts')
        ? [path]
        : readdirSync(path, { recursive: true, encoding: 'utf8' }).map((file) =>
            join(path, file).replaceAll('\\', '/'),
          ),
    )
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .map((line) => ({ file, code: line.trim() }))
        .filter(({ code }) => !/^(\/\/|\*|\/\*\*)/.test(code)),
    )
}
