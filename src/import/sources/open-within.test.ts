import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { NotWithin, openWithin } from './open-within.ts'

const outside = mkdtempSync(join(tmpdir(), 'homeport-within-'))
const folder = join(outside, 'export')
mkdirSync(join(folder, 'files', 'art'), { recursive: true })
writeFileSync(join(outside, 'secret'), 'secret')
writeFileSync(join(folder, 'files', 'art', 'logo.png'), 'logo')
afterAll(() => rmSync(outside, { recursive: true }))

it('opens a regular file below the folder', async () => {
  const file = await openWithin(folder, 'files/art/logo.png')
  expect(await file.readFile('utf8')).toBe('logo')
  await file.close()
})

it.skipIf(process.platform === 'win32')('does not follow a link in any part of the path', async () => {
  symlinkSync(join(outside, 'secret'), join(folder, 'files', 'link'))
  symlinkSync(outside, join(folder, 'files', 'folder'))
  symlinkSync('art/logo.png', join(folder, 'files', 'inside'))
  for (const path of ['files/link', 'files/folder/secret', 'files/inside'])
    await expect(openWithin(folder, path), path).rejects.toThrow(NotWithin)
})

it.each([
  '../secret',
  'files/../../secret',
  '/etc/passwd',
  'files//art/logo.png',
  'files/./art',
  'files\\..\\secret',
  '',
])('does not open a path outside of the folder: %j', async (path) => {
  await expect(openWithin(folder, path)).rejects.toThrow(NotWithin)
})

it.skipIf(process.platform === 'win32')('opens neither folders nor pipes', async () => {
  execFileSync('mkfifo', [join(folder, 'files', 'pipe')])
  for (const path of ['files/art', 'files/pipe'])
    await expect(openWithin(folder, path), path).rejects.toThrow(NotWithin)
})

it('opens a hard link as a regular file', async () => {
  linkSync(join(folder, 'files', 'art', 'logo.png'), join(folder, 'files', 'same'))
  const file = await openWithin(folder, 'files/same')
  expect(await file.readFile('utf8')).toBe('logo')
  await file.close()
})
