import { appPath, chooseApp, connect, type ServerFlags } from './management.ts'

interface Flags extends ServerFlags {
  readonly app?: string
  readonly json?: boolean
  readonly rebuild?: string
}

interface ShownIndex {
  readonly className: string
  readonly fields: readonly string[]
  readonly building: boolean
  readonly pending: number
}

/** Shows the progress of the search indexes of classes, or rebuilds one. */
export async function searchIndexes(flags: Flags): Promise<void> {
  const management = connect(flags)
  const { appId } = await chooseApp(management, flags.app)
  const path = `${appPath(appId)}/search`
  if (flags.rebuild !== undefined) await management.request('POST', `${path}/rebuild`, { className: flags.rebuild })
  const { classes } = (await management.request('GET', path)) as { classes: ShownIndex[] }
  if (flags.json) process.stdout.write(`${JSON.stringify(classes, null, 2)}\n`)
  else for (const index of classes) process.stdout.write(`${describe(index)}\n`)
}

function describe({ className, fields, building, pending }: ShownIndex): string {
  const state = building
    ? 'building'
    : pending > 0
      ? `${pending} pending ${pending === 1 ? 'write' : 'writes'}`
      : 'up to date'
  return `${className.padEnd(28)}${state.padEnd(24)}${fields.join(', ')}`
}
