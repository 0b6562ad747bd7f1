import { Command } from 'commander'
import { connect, type ServerFlags, type ShownApp, withServerFlags } from './management.ts'

type Flags = ServerFlags & { readonly app?: string; readonly json?: boolean }

/** `homeport keys` shows the IDs and keys of the apps of a running server. */
export function keysCommand(): Command {
  return withServerFlags(new Command('keys').description('Show the IDs and keys of all apps of a running server.'))
    .option('--app <appId>', 'only this app')
    .option('--json', 'print JSON')
    .action(async (flags: Flags) => {
      const { apps } = (await connect(flags).request('GET', '/admin/apps')) as { apps: ShownApp[] }
      const shown = apps.filter(({ appId }) => flags.app === undefined || appId === flags.app)
      if (flags.app !== undefined && shown.length === 0) throw new Error(`app '${flags.app}' not found`)
      if (flags.json) {
        const keys = shown.map(({ appId, name, appKey, masterKey, hookKey }) => ({
          appId,
          name,
          appKey,
          masterKey,
          hookKey,
        }))
        process.stdout.write(`${JSON.stringify(keys, null, 2)}\n`)
      } else process.stdout.write(shown.map(keysText).join('\n'))
    })
}

function keysText({ appId, name, appKey, masterKey, hookKey }: ShownApp): string {
  const lines = [
    ['App ID', appId],
    ['Name', name],
    ['App key', appKey],
    ['Master key', masterKey],
    ['Hook key', hookKey],
  ]
  return lines.map(([label, value]) => `${label!.padEnd(12)}${value}\n`).join('')
}
