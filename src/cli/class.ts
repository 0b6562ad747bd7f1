import { Command } from 'commander'
import { applyFiles } from './class-apply.ts'
import { bodyOf, type ClassFlags, withClassFlags } from './class-flags.ts'
import { searchIndexes } from './class-search.ts'
import { appPath, chooseApp, connect, type ServerFlags, withServerFlags } from './management.ts'
import { printable } from './printable.ts'
import type { ShownClass, ShownField } from './shown-class.ts'

interface Flags extends ServerFlags {
  readonly app?: string
  readonly json?: boolean
}

/** `homeport class …` manages the classes of an app, with or without objects. */
export function classCommand(): Command {
  const command = new Command('class').description('Manage the classes of an app.')
  const add = (usage: string, description: string) =>
    withServerFlags(command.command(usage).description(description))
      .option('--app <appId>', 'app of the classes (default: the only app)')
      .option('--json', 'print JSON')
  withClassFlags(
    add(
      'create <Class>',
      'Create a class, for example: homeport class create Counter --field url:String --field time:Number',
    ),
  ).action(async (className: string, flags: Flags & ClassFlags) => {
    const { request, path } = await classesOf(flags)
    show((await request('POST', path, { className, ...bodyOf(flags) })) as ShownClass, flags)
  })
  withClassFlags(
    add(
      'set <Class>',
      'Change the given parts of a class, for example: homeport class set Counter --field time,hidden',
    ),
  ).action(async (className: string, flags: Flags & ClassFlags) => {
    const { request, path } = await classesOf(flags)
    const known = `${path}/${encodeURIComponent(className)}`
    // Fails for an unknown class, so that a misspelled name does not create one.
    await request('GET', known)
    show((await request('PATCH', known, bodyOf(flags))) as ShownClass, flags)
  })
  add('show <Class>', 'Show the fields, permissions, default ACL and indexes of a class.').action(
    async (className: string, flags: Flags) => {
      const { request, path } = await classesOf(flags)
      show((await request('GET', `${path}/${encodeURIComponent(className)}`)) as ShownClass, flags)
    },
  )
  add('list', 'List the classes.').action(async (flags: Flags) => {
    const { request, path } = await classesOf(flags)
    const { classes } = (await request('GET', path)) as { classes: ShownClass[] }
    if (flags.json) print(classes)
    else for (const { className, fields } of classes) say(`${className.padEnd(28)}${Object.keys(fields).join(', ')}`)
  })
  add('search', 'Show the state of the indexes for full-text search.')
    .option('--rebuild <Class>', 're-index all objects of this class; the current index serves queries meanwhile')
    .action(searchIndexes)
  withServerFlags(
    command
      .command('apply <files...>')
      .description(
        'Apply schema files of LeanCloud, or directories of them: <Class>.json, <Class>_all.json, <Class>_schema.json, …',
      ),
  )
    .option('--app <appId>', 'app of the classes (default: the only app)')
    .option('--dry-run', 'show the changes without applying them')
    .action(async (files: string[], flags: Flags & { dryRun?: boolean }) => {
      const { management, path } = await classesOf(flags)
      const { isComplete } = await applyFiles(management, path, files, flags.dryRun ?? false)
      if (!isComplete) process.exitCode = 1
    })
  return command
}

/** Returns the management API, and the path of the classes of the selected app. */
async function classesOf(flags: Flags) {
  const management = connect(flags)
  const { appId } = await chooseApp(management, flags.app)
  return { management, request: management.request, path: `${appPath(appId)}/classes` }
}

function show(shown: ShownClass, flags: Flags): void {
  if (flags.json) {
    print(shown)
    return
  }
  say(`Class        ${shown.className}`)
  for (const [name, field] of Object.entries(shown.fields)) say(`Field        ${name.padEnd(20)} ${describe(field)}`)
  for (const [operation, who] of Object.entries(shown.permissions))
    say(`Permission   ${operation.padEnd(20)} ${typeof who === 'string' ? who : JSON.stringify(who)}`)
  say(`Default ACL  ${JSON.stringify(shown.defaultAcl)}`)
  for (const index of shown.indexes) say(`Index        ${index}`)
}

/** Formats a field in the syntax of `--field`. */
function describe({ type, className, default: value, comment, ...switches }: ShownField): string {
  return [
    className ? `${type}:${className}` : type,
    ...Object.entries(switches).map(([name, set]) => (set === true ? name : `${name}=${String(set)}`)),
    ...(value === undefined ? [] : [`default=${JSON.stringify(value)}`]),
    ...(comment === undefined ? [] : [`comment=${String(comment)}`]),
  ].join(',')
}

function say(line: string): void {
  process.stdout.write(`${printable(line)}\n`)
}

function print(value: unknown): void {
  say(JSON.stringify(value, null, 2))
}
