import { Command } from 'commander'
import { appPath, connect, type ServerFlags, type ShownApp, withServerFlags } from './management.ts'

type Flags = ServerFlags & { readonly json?: boolean }

/** `homeport app …` manages the apps of a running server through its management API, like any other client. */
export function appCommand(): Command {
  const app = new Command('app').description('Manage the apps of a running server.')
  const command = (usage: string, description: string) =>
    withServerFlags(app.command(usage).description(description)).option('--json', 'print JSON')
  command('create [name]', 'Create an app with its own keys.')
    .option('--owner-email <address>', 'email address of the owner, for mail about the app')
    .action(async (name: string | undefined, flags: Flags & { ownerEmail?: string }) => {
      const body = { ...(name && { name }), ...(flags.ownerEmail && { ownerEmail: flags.ownerEmail }) }
      show((await connect(flags).request('POST', '/admin/apps', body)) as ShownApp, flags)
    })
  command('list', 'List all apps.').action(async (flags: Flags) => {
    const { apps } = (await connect(flags).request('GET', '/admin/apps')) as { apps: ShownApp[] }
    if (flags.json) print(apps.map(({ appId, name, createdAt }) => ({ appId, name, createdAt })))
    else for (const { appId, name, createdAt } of apps) process.stdout.write(`${appId}  ${createdAt}  ${name}\n`)
  })
  command('show <appId>', 'Show an app with its keys and settings.').action(async (appId: string, flags: Flags) => {
    const { request } = connect(flags)
    const shown = (await request('GET', appPath(appId))) as ShownApp
    show(shown, flags, (await request('GET', `${appPath(appId)}/settings`)) as object)
  })
  command('set <appId> <setting> <value>', 'Change a setting, for example: storage.returnAclInQueries true').action(
    async (appId: string, setting: string, value: string, flags: Flags) => {
      const patch = setting.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), parseValue(value))
      print(await connect(flags).request('PATCH', `${appPath(appId)}/settings`, patch as object))
    },
  )
  command('rotate-keys <appId>', 'Replace the keys of an app. The old keys stop working immediately.').action(
    async (appId: string, flags: Flags) => {
      show((await connect(flags).request('PATCH', appPath(appId), { rotateKeys: true })) as ShownApp, flags)
    },
  )
  return app
}

/** Parses the value as JSON; falls back to a string. */
function parseValue(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
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
