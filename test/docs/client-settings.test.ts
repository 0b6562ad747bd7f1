import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'

/** Returns the commands a page tells its readers to run, with placeholders filled in. */
function commandsOf(page: string): { settings: [name: string, value: string][]; permissions: [string, string[]][] } {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8')
  const settings = [...text.matchAll(/homeport app set <appId> ([\w.]+) ([^`\s]+)/g)].map(
    ([, name, value]): [string, string] => [name!, value!.replace('http://…', 'http://engine.example.org')],
  )
  const permissions = [...text.matchAll(/homeport class set (_\w+)((?: --permission \w+=\w+)+)/g)].map(
    ([, className, flags]): [string, string[]] => [className!, [...flags!.matchAll(/(\w+=\w+)/g)].map(([one]) => one)],
  )
  return { settings, permissions }
}

const pages = ['clients.md', 'clients.zh-CN.md'] as const
const app = await makeApp()

it('both pages name the same settings and permissions', () => {
  const [english, chinese] = pages.map(commandsOf)
  expect(chinese).toEqual(english)
  expect(english!.settings.map(([name]) => name)).toEqual(
    expect.arrayContaining(['storage.returnAclInQueries', 'push.restrictClientPush', 'engine.staging']),
  )
  expect(english!.permissions.map(([className]) => className)).toEqual(expect.arrayContaining(['_User', '_File']))
})

it.each(commandsOf('clients.md').settings)('the setting %s takes %s', async (name, value) => {
  const parsed: unknown = /^(true|false)$/.test(value) ? JSON.parse(value) : value
  const body = name.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), parsed)
  const reply = await app.admin('PATCH', '/settings', body)
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
})

it.each(commandsOf('clients.md').permissions)('a new app takes the permissions of %s', async (className, flags) => {
  const permissions = Object.fromEntries(flags.map((flag) => flag.split('=')))
  // The GET fails for a misspelled class, which the PATCH would create.
  expect((await app.admin('GET', `/classes/${className}`)).status).toBe(200)
  const reply = await app.admin('PATCH', `/classes/${className}`, { permissions })
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  expect(reply.body.permissions).toMatchObject(permissions)
})
