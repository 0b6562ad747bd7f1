import { Command } from 'commander'
import { streamEntries } from '../import/sources/entries.ts'
import { ExportFolder } from './export/export-folder.ts'
import { type Fetched, fetchFiles } from './export/fetch-files.ts'
import { appPath, chooseApp, connect, type Management, type ServerFlags, withServerFlags } from './management.ts'
import { printable } from './printable.ts'

interface Flags extends ServerFlags {
  readonly app?: string
  readonly to: string
  readonly again?: boolean
}

/** Exit code when the bytes of some files could not be fetched. */
const INCOMPLETE = 3
const INTERRUPTED = 130

/** `homeport export` exports all data of an app in the hosted service's form (docs/moving-in.md, Export). */
export function exportCommand(): Command {
  const command = new Command('export').description(
    'Export all data of an app into a folder, in the form of the hosted service, which `homeport import` reads.',
  )
  return withServerFlags(command)
    .requiredOption('--to <folder>', 'a new or empty folder, or one with an export that was stopped')
    .option('--app <appId>', 'which app (default: the only one)')
    .option('--again', 'begin anew in a folder that has an export of the app')
    .action(runExport)
}

async function runExport(flags: Flags): Promise<void> {
  const management = connect(flags)
  const { appId } = await chooseApp(management, flags.app)
  const folder = await ExportFolder.open(flags.to, appId, flags.again ?? false)
  if (folder.state?.place === null && folder.state.hasFiles) {
    say(`${folder.path} has the export of ${folder.state.moments.join(' and ')}; --again makes a new one`)
    return
  }
  process.once('SIGINT', () => {
    process.stderr.write('\nhomeport: interrupted; the same command goes on where it was\n')
    process.exit(INTERRUPTED)
  })
  try {
    const counts = folder.state?.place === null ? new Map() : await receive(management, appPath(appId), folder)
    const fetched = await fetchFiles(management, appId, folder)
    if (fetched.failed === 0) await folder.setState({ ...folder.state!, hasFiles: true })
    else process.exitCode = INCOMPLETE
    say(summary(folder, counts, fetched))
  } catch (error) {
    throw new Error(`${(error as Error).message}; the same command goes on where it was`)
  }
}

/** Receives the missing part of the archive. @returns the number of received records by kind */
async function receive(management: Management, app: string, folder: ExportFolder): Promise<Map<string, number>> {
  const from = folder.state?.place
  const query = from ? `?from=${encodeURIComponent(JSON.stringify(from))}` : ''
  const counts = new Map<string, number>()
  await management.download(`${app}/export${query}`, async (bytes) => {
    for await (const { name, reader } of streamEntries('the export', bytes)) {
      const records = await folder.take(name, reader.rest())
      if (!name.endsWith('.jsonl')) continue
      const of = name.replace(/(\.relation)?\.\d+\.jsonl$/, '')
      counts.set(of, (counts.get(of) ?? 0) + records)
    }
  })
  if (folder.state?.place !== null) throw new Error('the export was cut off')
  return counts
}

function summary(
  folder: ExportFolder,
  counts: ReadonlyMap<string, number>,
  { files, failed, faults }: Fetched,
): string {
  const width = Math.max(0, ...[...counts.keys()].map((name) => name.length))
  const lines = [...counts].map(([name, count]) => `${name.padEnd(width)}  ${String(count).padStart(10)}`)
  const { moments } = folder.state!
  const moment =
    moments.length === 1
      ? `It shows the app as it was at ${moments[0]}.`
      : `It was stopped, so it shows the app as it was at ${moments.length} moments: ${moments.join(', ')}. --again makes one of a single moment.`
  return [
    ...lines,
    ...(files > 0
      ? ['', `The bytes of ${files - failed} of ${files} files are there.`, ...faults.map((fault) => `  ${fault}`)]
      : []),
    '',
    `The export is in ${folder.path}. ${moment}`,
    'It holds session tokens and hashes of passwords: keep it to yourself, and remove it when it has served.',
  ].join('\n')
}

function say(text: string): void {
  process.stdout.write(`${printable(text)}\n`)
}
