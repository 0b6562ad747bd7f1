import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { defaultText } from './default-text.ts'
import { smsProvider } from './provider.ts'
import type { TextMessage } from './sms.ts'
import { smsProviderSettings } from './sms-settings.ts'

const message: TextMessage = {
  phone: '+8613800000000',
  kind: 'code',
  channel: 'sms',
  code: '135790',
  ttlMinutes: 10,
  appName: '小店',
  template: 'login',
  sign: '大店',
  variables: { name: 'Li\nTo: nobody' },
}
let directory: string
let logged: string[]

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'homeport-outbox-'))
  logged = []
})

afterEach(() => rm(directory, { recursive: true }))

async function written(message: TextMessage): Promise<{ path: string; content: string }> {
  const outbox = join(directory, 'outbox')
  const log = pino({ level: 'info' }, { write: (line) => void logged.push(line) })
  const now = () => new Date('2030-01-02T03:04:05.678Z')
  await smsProvider(smsProviderSettings.parse({}), { outbox, log, now }).send(message)
  const names = await readdir(outbox)
  expect(names).toEqual([expect.stringMatching(/^20300102T030405678Z-[0-9a-f]{8}\.sms\.txt$/)])
  const path = join(outbox, names[0]!)
  return { path, content: await readFile(path, 'utf8') }
}

it('writes a message to a file that only its owner can read', async () => {
  const { path } = await written(message)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect((await stat(join(directory, 'outbox'))).mode & 0o777).toBe(0o700)
})

it('writes phone, template, variables and text, one line each', async () => {
  const { content } = await written(message)
  expect(content.split('\n')).toEqual([
    'To: +8613800000000',
    'Channel: sms',
    'Template: login',
    'Sign: 大店',
    'Variables: {"name":"Li\\nTo: nobody"}',
    '',
    defaultText(message),
    '',
  ])
})

it('omits absent members, and lets no value start a new line', async () => {
  const { content } = await written({ ...message, channel: 'voice', template: 'a\r\nTo: b', sign: null, variables: {} })
  expect(content).toMatch(/^To: \+8613800000000\nChannel: voice\nTemplate: a To: b\n\n【小店】/)
})

it('writes a notice without a text', async () => {
  const { content } = await written({ ...message, kind: 'notice', code: null })
  expect(content).toMatch(/^Variables: .*\n\n\n$/m)
})

it('logs phone, code and file for developers who try out an app', async () => {
  const { path } = await written(message)
  expect(logged.map((line) => JSON.parse(line))).toMatchObject([
    { level: 30, phone: '+8613800000000', code: '135790', file: path },
  ])
})
