import { expect, it } from 'vitest'
import { commandOf } from './command-of.ts'
import type { MoveOptions, MoveSource } from './move.ts'

const app: MoveSource = { kind: 'app', url: 'https://there.example', appId: 'there' }
const request = { action: 'bring', paths: [], appId: 'here', url: 'http://127.0.0.1:3000', report: '/report' } as const

const argumentsOf = (options: MoveOptions, source = app, paths: readonly string[] = []) =>
  commandOf({ ...request, source, options, paths }).join(' ')

it.each<[MoveOptions, string]>([
  [{ nightHours: '22-6' }, '--night-hours 22-6'],
  [{ nightHours: '22-6', dayRate: 2 }, '--night-hours 22-6 --day-rate 2'],
  [{ filesFrom: 'https://files.example' }, '--files-from https://files.example'],
  [{ files: false, filesFrom: 'https://files.example' }, '--no-files'],
  [{ follow: true }, '--follow'],
  [{ follow: true, every: 5, until: '2027-01-10T02:00:00Z' }, '--follow --every 5 --until 2027-01-10T02:00:00Z'],
  [{ parallel: 4 }, '--parallel 4'],
  [{ rewriteUrls: true }, '--rewrite-urls all'],
  [{ rewriteUrls: true, rewriteFields: ['Post.cover', 'messages'] }, '--rewrite-urls Post.cover,messages'],
  [{ allowManyDeletions: true }, '--allow-many-deletions'],
  [{ rewriteUrls: true, oldDomains: ['a.example', 'b.example'] }, '--old-domain a.example --old-domain b.example'],
])('passes %j as %s', (options, words) => {
  expect(argumentsOf(options)).toContain(` ${words}`)
  expect(argumentsOf({})).not.toContain(words.split(' ')[0])
})

it.each(['try', 'bring', 'verify'] as const)('reads files in the selected encoding in the action %s', (action) => {
  const source: MoveSource = { kind: 'files', files: [{ name: 'a.csv', size: 1 }] }
  const words = (options: MoveOptions, from: MoveSource = source) =>
    commandOf({ ...request, action, source: from, options, paths: ['/files/a.csv'] }).join(' ')
  expect(words({ encoding: 'gb18030' })).toContain(' --encoding gb18030 ')
  expect(words({})).not.toContain('--encoding')
  expect(words({ encoding: 'gb18030' }, app)).not.toContain('--encoding')
})

it('takes passwords from an export uploaded with an app, unless passwords are excluded', () => {
  const source: MoveSource = { ...app, users: { name: 'users.tar', size: 1 } }
  expect(argumentsOf({}, source, ['/files/users.tar'])).toContain('--users /files/users.tar')
  expect(argumentsOf({ passwords: false }, source, ['/files/users.tar'])).not.toContain('--users')
  expect(argumentsOf({ until: '2027-01-10T02:00:00Z' }, source)).not.toContain('--until')
})
