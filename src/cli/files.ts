import { Command } from 'commander'
import type { CheckedPage, CheckPosition, Finding } from '../files/check/check-files.ts'
import { appPath, connect, type Management, type ServerFlags, type ShownApp, withServerFlags } from './management.ts'
import { printable } from './printable.ts'

interface Flags extends ServerFlags {
  readonly app?: string
  readonly checksums?: boolean
  readonly repair?: boolean
  readonly json?: boolean
}

/** Exit code when faults remain. */
const AMISS = 3

/** `homeport files …` checks the bytes of files (docs/operations.md, Check). */
export function filesCommand(): Command {
  const files = new Command('files').description('Check the stored contents of files.')
  withServerFlags(files.command('check').description('Compare file records with their stored contents.'))
    .option('--app <appId>', 'app to check (default: all)')
    .option('--checksums', 'read all contents and compare their MD5')
    .option('--repair', 'remove contents that no record refers to; records are never removed')
    .option('--json', 'print JSON Lines: one per finding and one per app')
    .action(runCheck)
  return files
}

async function runCheck(flags: Flags): Promise<void> {
  const management = connect(flags)
  for (const appId of await appsOf(management, flags.app)) {
    const left = await checkApp(management, appId, flags)
    if (left > 0) process.exitCode = AMISS
  }
}

async function appsOf({ request }: Management, appId: string | undefined): Promise<string[]> {
  if (appId !== undefined) return [appId]
  const { apps } = (await request('GET', '/admin/apps')) as { apps: ShownApp[] }
  return apps.map((app) => app.appId)
}

/** @returns the number of faults that remain */
async function checkApp({ request }: Management, appId: string, flags: Flags): Promise<number> {
  const { checksums = false, repair = false } = flags
  let files = 0
  let found = 0
  let removed = 0
  let from: CheckPosition | null = null
  do {
    const page = (await request('POST', `${appPath(appId)}/files/check`, { from, checksums, repair })) as CheckedPage
    for (const finding of page.findings) {
      found++
      if (finding.removed) removed++
      say(flags.json ? JSON.stringify({ app: appId, ...finding }) : `${appId}  ${textOf(finding)}`)
    }
    files += page.files
    from = page.next
  } while (from)
  const left = found - removed
  if (flags.json) say(JSON.stringify({ app: appId, files, found, removed }))
  else
    say(
      `${appId}  ${files} ${files === 1 ? 'file' : 'files'}, ${found === 0 ? 'no problems' : `${left} ${left === 1 ? 'problem' : 'problems'}, ${removed} removed`}`,
    )
  return left
}

function textOf({ kind, objectId, key, blob, removed }: Finding): string {
  const about = [objectId && `record ${objectId}`, key && `key ${key}`, blob && `stored as ${blob}`].filter(Boolean)
  return `${kind}: ${about.join(', ')}${removed ? ' (removed)' : ''}`
}

function say(line: string): void {
  process.stdout.write(`${printable(line)}\n`)
}
