import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Command } from 'commander'
import { readConfig } from '../config.ts'
import { runningServer } from '../data-directory.ts'

interface ShownApp {
  readonly appId: string
  readonly name: string
  readonly appKey: string
  readonly masterKey: string
  readonly hookKey: string
  readonly ownerEmail: string | null
  readonly createdAt: string
}

type Flags = { readonly data?: string; readonly url?: string; readonly json?: boolean }
type Request = (method: string, path: string, body?: object) => Promise<unknown>

/** `homeport app …` — the apps of a running server, through its management API like everybody else. */
export function appCommand(): Command {
  const app = new Command('app').description('Manage the apps of a running server.')
  const command = (usage: string, description: string) =>
    app
      .command(usage)
      .description(description)
      .option('--data <directory>', 'data directory of the server (default ./data)')
      .option('--url <url>', 'the server to talk to; HOMEPORT_ADMIN_TOKEN holds its token')
      .option('--json', 'print JSON')
  command('create [name]', 'Make an app with keys of its own.')
    .option('--owner-email <address>', 'where mail about the app goes')
    .action(async (name: string | undefined, flags: Flags & { ownerEmail?: string }) => {
      const body = { ...(name && { name }), ...(flags.ownerEmail && { ownerEmail: flags.ownerEmail }) }
      show((await connect(flags)('POST', '/admin/apps', body)) as ShownApp, flags)
    })
  command('list', 'List all apps.').action(async (flags: Flags) => {
    const { apps } = (await connect(flags)('GET', '/admin/apps')) as { apps: ShownApp[] }
    if (flags.json) print(apps.map(({ appId, name, createdAt }) => ({ appId, name, createdAt })))
    else for (const { appId, name, createdAt } of apps) process.stdout.write(`${appId}  ${createdAt}  ${name}\n`)
  })
  command('show <appId>', 'Show an app with its keys and settings.').action(async (appId: string, flags: Flags) => {
    const request = connect(flags)
    const shown = (await request('GET', `/admin/apps/${encodeURIComponent(appId)}`)) as ShownApp
    show(shown, flags, (await request('GET', `/admin/apps/${encodeURIComponent(appId)}/settings`)) as object)
  })
  command('set <appId> <setting> <value>', 'Change a setting, for example: storage.returnAclInQueries true').action(
    async (appId: string, setting: string, value: string, flags: Flags) => {
      const patch = setting.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), parseValue(value))
      print(await connect(flags)('PATCH', `/admin/apps/${encodeURIComponent(appId)}/settings`, patch as object))
    },
  )
  command('rotate-keys <appId>', 'Give an app new keys; the old ones stop working at once.').action(
    async (appId: string, flags: Flags) => {
      show(
        (await connect(flags)('PATCH', `/admin/apps/${encodeURIComponent(appId)}`, { rotateKeys: true })) as ShownApp,
        flags,
      )
    },
  )
  return app
}

/** A value as JSON where it is some, else as text. */
function parseValue(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

function connect(flags: Flags): Request {
  const { url, token } = flags.url ? remote(flags.url) : local(flags)
  return async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    }).catch(() => {
      throw new Error(`no server answers at ${url}`)
    })
    const answer = (await response.json()) as { error?: string }
    if (!response.ok) throw new Error(answer.error ?? `the server answered ${response.status}`)
    return answer
  }
}

function remote(url: string): { url: string; token: string } {
  const token = process.env.HOMEPORT_ADMIN_TOKEN
  if (!token) throw new Error('set HOMEPORT_ADMIN_TOKEN to the administrator token of the server')
  return { url: url.replace(/\/+$/, ''), token }
}

function local(flags: Flags): { url: string; token: string } {
  const data = resolve(readConfig({ data: flags.data }, process.env).data)
  const running = runningServer(data)
  if (!running?.url) throw new Error(`no server runs on ${data}; start it first, or name it with --data or --url`)
  const token = process.env.HOMEPORT_ADMIN_TOKEN ?? readFileSync(join(data, 'admin-token'), 'utf8').trim()
  return { url: running.url, token }
}

function show(app: ShownApp, flags: Flags, settings?: object): void {
  if (flags.json) {
    print(settings ? { ...app, settings } : app)
    return
  }
  const lines = [
    ['App ID', app.appId],
    ['Name', app.name],
    ['App key', app.appKey],
    ['Master key', app.masterKey],
    ['Hook key', app.hookKey],
    ['Owner', app.ownerEmail ?? '-'],
    ['Created', app.createdAt],
    ...(settings ? [['Settings', JSON.stringify(settings)]] : []),
  ]
  for (const [label, value] of lines) process.stdout.write(`${label!.padEnd(12)}${value}\n`)
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`)
}
