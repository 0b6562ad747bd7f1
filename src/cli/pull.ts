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
    'Bring an app that runs at the hosted service, or at another Homeport.',
  )
  return withServerFlags(command)
    .option('--app <appId>', 'into which app (default: the only one)')
    .requiredOption('--from <url>', 'where the API of the source answers')
    .requiredOption('--source-app <appId>', 'the id of the app there')
    .option('--master-key <key>', 'its master key; better in HOMEPORT_SOURCE_MASTER_KEY, which others do not see')
    .addOption(
      new Option('--on-conflict <what>', 'what is done with an object that is here already')
        .choices([...ON_CONFLICT])
        .default('newer'),
    )
    .option('--rate <requests>', 'requests a second that the source is asked at most', positive, 10)
    .option('--night-hours <hours>', 'when the rate holds, such as 22-6; at other times it is --day-rate', hoursOf)
    .option(
      '--day-rate <requests>',
      'requests a second outside of the night hours (default: a tenth of --rate)',
      positive,
    )
    .option('--parallel <parts>', 'classes that are pulled at a time', positive, 1)
    .option('--files-from <url>', 'where the bytes of files are by their keys, in place of what the records say')
    .option('--no-files', 'do not bring the bytes of files')
    .option('--users <export>', 'take passwords and session tokens from this export, a file or a URL')
    .option('--no-passwords', 'do not ask the source for an export with passwords and session tokens')
    .option('--no-messages', 'do not bring the messages of conversations')
    .option('--chat-details', 'how far members have read, and who is kept out or silenced: a request for each')
    .option('--follow', 'go on bringing what is new, until Ctrl-C or --until')
    .option('--until <time>', 'when following ends, such as 2027-01-10T02:00:00Z', timeOf)
    .option('--every <seconds>', 'how long following rests between two looks', positive, 60)
    .option('--compare-ids', 'remove here what was deleted at the source; --follow does it in the end')
    .option('--allow-many-deletions', 'also where more than a fifth of what was brought was deleted')
    .option('--without-acl', 'the source shows no ACLs, and its objects need none')
    .option('--strict', STRICT)
    .option('--dry-run', 'say what would happen, and change nothing')
    .option('--again', 'begin anew with what was pulled before')
    .option('--rewrite-urls <fields>', REWRITE_URLS, parseTargets)
    .option('--old-domain <host>', OLD_DOMAIN, parseOldDomain)
    .option('--report <directory>', 'where the report goes (default: homeport-pull-<appId>)')
    .action(runPull)
}

async function runPull(flags: Flags): Promise<void> {
  const management = connect(flags)
  const masterKey = flags.masterKey ?? process.env.HOMEPORT_SOURCE_MASTER_KEY
  if (!masterKey)
    throw new Error('say the master key of the source, with --master-key or in HOMEPORT_SOURCE_MASTER_KEY')
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
    process.stderr.write('\nhomeport: interrupted; the same command goes on where it was\n')
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
    throw new Error(`${error.message}; the same command goes on where it was`)
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
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error(`${flag}: '${text}' is no http or https URL`)
  if (url.username !== '' || url.search !== '' || url.hash !== '')
    throw new Error(`${flag}: must have neither a user, a query nor a fragment`)
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
  if (!hours) throw new InvalidArgumentError('must be two hours such as 22-6')
  return hours
}

/** @throws Error with one line for the user */
function nightsOf({ nightHours: hours, rate, dayRate }: Flags): Nights | null {
  if (hours) return { hours, otherwise: dayRate ?? rate / 10 }
  if (dayRate !== undefined) throw new Error('--day-rate: say the --night-hours too')
  return null
}

function positive(text: string): number {
  const number = Number(text)
  if (!(number > 0 && number <= 1000)) throw new InvalidArgumentError('must be a number from above 0 to 1000')
  return number
}
