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
    'Export all data of an app into a folder, in the format of LeanCloud exports. `homeport import` reads it.',
  )
  return withServerFlags(command)
    .requiredOption('--to <folder>', 'new or empty folder, or the folder of an interrupted export')
    .option('--app <appId>', 'app to export (default: the only app)')
    .option('--again', 'replace an existing export of the app in the folder')
    .action(runExport)
}

async function runExport(flags: Flags): Promise<void> {
  const management = connect(flags)
  const { appId } = await chooseApp(management, flags.app)
  const folder = await ExportFolder.open(flags.to, appId, flags.again ?? false)
  if (folder.state?.place === null && folder.state.hasFiles) {
    say(
      `${folder.path} already contains the export of ${folder.state.moments.join(' and ')}; use --again to replace it`,
    )
    return
  }
  process.once('SIGINT', () => {
    process.stderr.write('\nhomeport: interrupted; run the same command again to resume\n')
    process.exit(INTERRUPTED)
  })
  try {
    const counts = folder.state?.place === null ? new Map() : await receive(management, appPath(appId), folder)
    const fetched = await fetchFiles(management, appId, folder)
    if (fetched.failed === 0) await folder.setState({ ...folder.state!, hasFiles: true })
    else process.exitCode = INCOMPLETE
    say(summary(folder, counts, fetched))
  } catch (error) {
    throw new Error(`${(error as Error).message}; run the same command again to resume`)
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
  if (folder.state?.place !== null) throw new Error('the export is incomplete')
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
      ? `It contains the state of the app at ${moments[0]}.`
      : `It was interrupted, so it contains states of the app at ${moments.length} times: ${moments.join(', ')}. Use --again for an export of a single time.`
  return [
    ...lines,
    ...(files > 0
      ? [
          '',
          `Contents of ${files - failed} of ${files} ${files === 1 ? 'file' : 'files'} downloaded.`,
          ...faults.map((fault) => `  ${fault}`),
        ]
      : []),
    '',
    `Export written to ${folder.path}. ${moment}`,
    'It contains session tokens and password hashes: keep it private, and delete it when you no longer need it.',
  ].join('\n')
}

function say(text: string): void {
  process.stdout.write(`${printable(text)}\n`)
}
