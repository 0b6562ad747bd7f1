import { join } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { ON_CONFLICT, type OnConflict } from '../import/batch.ts'
import { type Hours, parseHours } from '../moves/hours.ts'
import { timeOfDate } from '../values/date.ts'
import { OLD_DOMAIN, parseOldDomain, parseTargets, REWRITE_URLS, type RewriteTargets } from './import/rewrite-urls.ts'
import { STRICT } from './import/send.ts'
import { appPath, chooseApp, connect, type ServerFlags, withServerFlags } from './management.ts'
import { dryRun } from './pull/dry-run.ts'
import { type Nights, Pace } from './pull/pace.ts'
import { PullProgress } from './pull/pull-progress.ts'
import { follow, type PullOptions, pullOnce } from './pull/pull-run.ts'
import { SourceApp } from './pull/source-app.ts'

interface Flags extends ServerFlags {
  readonly app?: string
  readonly from: string
  readonly sourceApp: string
  readonly masterKey?: string
  readonly onConflict: OnConflict
  readonly strict?: boolean
  readonly rate: number
  readonly nightHours?: Hours
  readonly dayRate?: number
  readonly parallel: number
  readonly filesFrom?: string
  readonly files: boolean
  readonly users?: string
  readonly passwords: boolean
  readonly messages: boolean
  readonly chatDetails?: boolean
  readonly follow?: boolean
  readonly until?: number
  readonly every: number
  readonly compareIds?: boolean
  readonly allowManyDeletions?: boolean
  readonly withoutAcl?: boolean
  readonly dryRun?: boolean
  readonly again?: boolean
  readonly rewriteUrls?: RewriteTargets
  readonly oldDomain?: readonly string[]
  readonly report?: string
}

/** Exit code when some records were rejected, or some classes cannot exist here. */
const INCOMPLETE = 3
const INTERRUPTED = 130

/** `homeport pull` imports a running app from another server (docs/moving-in.md, Pull). */
export function pullCommand(): Command {
  const command = new Command('pull').description(
    'Pull the data of an app that runs on LeanCloud or on another Homeport server.',
  )
  return withServerFlags(command)
    .option('--app <appId>', 'target app (default: the only app)')
    .requiredOption('--from <url>', 'base URL of the API of the source')
    .requiredOption('--source-app <appId>', 'app ID in the source')
    .option(
      '--master-key <key>',
      'master key of the source app; HOMEPORT_SOURCE_MASTER_KEY hides it from other users of the machine',
    )
    .addOption(
      new Option('--on-conflict <what>', 'how to treat an object that already exists in the app')
        .choices([...ON_CONFLICT])
        .default('newer'),
    )
    .option('--rate <requests>', 'maximum requests per second to the source', positive, 10)
    .option(
      '--night-hours <hours>',
      'hours in which --rate applies, such as 22-6; otherwise --day-rate applies',
      hoursOf,
    )
    .option(
      '--day-rate <requests>',
      'maximum requests per second outside the night hours (default: a tenth of --rate)',
      positive,
    )
    .option('--parallel <parts>', 'number of classes to pull at the same time', positive, 1)
    .option('--files-from <url>', 'base URL of files, in place of the URLs in file records')
    .option('--no-files', 'do not download files')
    .option('--users <export>', 'export with passwords and session tokens: a file or a URL')
    .option('--no-passwords', 'do not request an export with passwords and session tokens from the source')
    .option('--no-messages', 'do not pull the messages of conversations')
    .option(
      '--chat-details',
      'also pull read positions, blacklists and silenced members; needs additional requests per conversation',
    )
    .option('--follow', 'keep pulling changes until Ctrl-C or --until')
    .option('--until <time>', 'end of --follow, such as 2027-01-10T02:00:00Z', timeOf)
    .option('--every <seconds>', 'pause between two checks for changes', positive, 60)
    .option('--compare-ids', 'remove objects that were deleted in the source; --follow does this at its end')
    .option('--allow-many-deletions', 'remove them even if more than a fifth of the pulled objects was deleted')
    .option('--without-acl', 'accept that the source returns no ACLs, because its objects have none')
    .option('--strict', STRICT)
    .option('--dry-run', 'show what would be pulled without changing anything')
    .option('--again', 'pull everything again')
    .option('--rewrite-urls <fields>', REWRITE_URLS, parseTargets)
    .option('--old-domain <host>', OLD_DOMAIN, parseOldDomain)
    .option('--report <directory>', 'directory of the report (default: homeport-pull-<appId>)')
    .action(runPull)
}

async function runPull(flags: Flags): Promise<void> {
  const management = connect(flags)
  const masterKey = flags.masterKey ?? process.env.HOMEPORT_SOURCE_MASTER_KEY
  if (!masterKey) throw new Error('set the master key of the source with --master-key or HOMEPORT_SOURCE_MASTER_KEY')
  const from = webAddress('--from', flags.from)
  const filesFrom = flags.filesFrom === undefined ? null : webAddress('--files-from', flags.filesFrom)
  const { appId } = await chooseApp(management, flags.app)
  const progress = new PullProgress()
  const source = new SourceApp({
    url: from,
    appId: flags.sourceApp,
    masterKey,
    pace: new Pace(flags.rate, nightsOf(flags)),
    say: (line) => progress.say(line),
  })
  process.once('SIGINT', () => {
    process.stderr.write('\nhomeport: interrupted; run the same command again to resume\n')
    process.exit(INTERRUPTED)
  })
  const trusted = new Set([from, filesFrom ?? from, flags.users ?? from].map((url) => hostOf(url)))
  const report = flags.report ?? `homeport-pull-${appId}`
  const options: PullOptions = {
    source,
    target: {
      management,
      appPath: appPath(appId),
      sourceApp: flags.sourceApp,
      onConflict: flags.onConflict,
      strict: flags.strict ?? false,
      again: flags.again ?? false,
      onBatch: (name, outcome) => progress.onBatch(name, outcome),
    },
    progress,
    parallel: flags.parallel,
    files: flags.files ? { filesFrom, trusted } : null,
    logins:
      flags.users !== undefined || flags.passwords
        ? { file: flags.users ?? null, directory: join(report, 'users'), trusted }
        : null,
    messages: flags.messages,
    chatLists: flags.messages ? { details: flags.chatDetails ?? false } : null,
    rewriting: flags.rewriteUrls === undefined ? null : { targets: flags.rewriteUrls, domains: flags.oldDomain ?? [] },
    allowManyDeletions: flags.allowManyDeletions ?? false,
    withoutAcl: flags.withoutAcl ?? false,
    report,
  }
  if (flags.dryRun) {
    if (!(await dryRun(options, flags.rate))) process.exitCode = INCOMPLETE
    return
  }
  const pull = async () => {
    const isComplete = await pullOnce(options, (flags.compareIds ?? false) && !flags.follow)
    if (!flags.follow) return isComplete
    await follow(options, flags.until ?? Number.POSITIVE_INFINITY, flags.every * 1000)
    // The last run is reported completely.
    return pullOnce({ ...options, target: { ...options.target, again: false } }, true)
  }
  const isComplete = await pull().catch((error: Error) => {
    progress.end()
    throw new Error(`${error.message}; run the same command again to resume`)
  })
  if (!isComplete) process.exitCode = INCOMPLETE
}

/** Returns the host with its port; empty when the text is not a URL. */
function hostOf(text: string): string {
  return URL.canParse(text) ? new URL(text).host : ''
}

/** @throws Error with one line for the user */
export function webAddress(flag: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error(`${flag}: '${text}' must be an http or https URL`)
  if (url.username !== '' || url.search !== '' || url.hash !== '')
    throw new Error(`${flag}: must not contain a user, a query or a fragment`)
  return url.href.replace(/\/+$/, '')
}

/** @returns milliseconds as in `Date.now()` */
function timeOf(text: string): number {
  const time = timeOfDate(text)
  if (time === null) throw new InvalidArgumentError('must be a time such as 2027-01-10T02:00:00Z')
  return time
}

function hoursOf(text: string): Hours {
  const hours = parseHours(text)
  if (!hours) throw new InvalidArgumentError('must be a range of hours such as 22-6')
  return hours
}

/** @throws Error with one line for the user */
function nightsOf({ nightHours: hours, rate, dayRate }: Flags): Nights | null {
  if (hours) return { hours, otherwise: dayRate ?? rate / 10 }
  if (dayRate !== undefined) throw new Error('--day-rate requires --night-hours')
  return null
}

function positive(text: string): number {
  const number = Number(text)
  if (!(number > 0 && number <= 1000))
    throw new InvalidArgumentError('must be a number greater than 0 and at most 1000')
  return number
}
