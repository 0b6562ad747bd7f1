import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { byteEndpoints, endpoints } from './endpoints.ts'

/** `/1.1/classes/:className/:objectId` is in the file `1.1/classes`. */
const endpointFiles = [...endpoints, ...byteEndpoints].map(({ path }) =>
  path
    .split('/')
    .filter((part) => part !== '' && part !== '*' && !part.startsWith(':'))
    .join('/'),
)

/** The folders whose names begin the path of a URL. */
const folders = ['1.1', '1.2', '2', 'admin', 'storage', 'v1']

const files = folders.flatMap((folder) =>
  readdirSync(new URL(folder, import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => `${folder}/${file.replaceAll('\\', '/').slice(0, -'.ts'.length)}`),
)

test.each(files)('%s.ts has the path of a URL', (file) => {
  expect(endpointFiles.some((path) => path === file || path.startsWith(`${file}/`))).toBe(true)
})

test.each([...new Set(endpointFiles)].filter((path) => folders.includes(path.split('/')[0]!)))(
  '/%s has a file at its path, or is in the file of a path above it',
  (path) => {
    expect(files.some((file) => path === file || path.startsWith(`${file}/`))).toBe(true)
  },
)
