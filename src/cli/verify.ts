import { Command, InvalidArgumentError } from 'commander'
import type { Encoding } from '../import/sources/detect-encoding.ts'
import { filesAt } from '../import/sources/files.ts'
import { isWebAddress, removeDownload } from './import/download.ts'
import { Progress } from './import/progress.ts'
import { OLD_DOMAIN, parseOldDomain } from './import/rewrite-urls.ts'
import { surveyAll } from './import/survey.ts'
import { downloaded, ENCODING, formOptionsOf, parseEncoding } from './import.ts'
import { appPath, chooseApp, connect, type ServerFlags, withServerFlags } from './management.ts'
import { sendReport } from './parent-server.ts'
import { Pace } from './pull/pace.ts'
import { PullProgress } from './pull/pull-progress.ts'
import { SourceApp } from './pull/source-app.ts'
import { webAddress } from './pull.ts'
import { comparedReport } from './verify/compared-report.ts'
import { DifferencesFile, isSafe, reportText } from './verify/report.ts'
import { reportJson } from './verify/report-json.ts'
import { type VerifyRunOptions, verifyFiles, verifyLive } from './verify/verify-run.ts'

interface Flags extends ServerFlags {
  readonly app?: string
  readonly class?: string
  readonly relation?: string
  readonly encoding?: Encoding
  readonly from?: string
  readonly sourceApp?: string
  readonly masterKey?: string
  readonly rate: number
  readonly withoutAcl?: boolean
  readonly files: boolean
  readonly messages: boolean
  readonly rewrittenUrls?: boolean
  readonly oldDomain?: readonly string[]
  readonly sample?: number
  readonly login?: string
  readonly json?: boolean
  readonly report?: string
}

/** Exit code when the app differs from the source. */
const DIFFERENT = 3
const INTERRUPTIONS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const

/** `homeport verify` compares a source with an app (docs/moving-in.md, Verify). */
export function verifyCommand(): Command {
  const command = new Command('verify')
    .argument('[files...]', 'imported files, archives, folders, or URLs of files')
    .description('Compare a source with the app and report whether it is safe to switch. Nothing is changed.')
  return withServerFlags(command)
    .option('--app <appId>', 'app to compare (default: the only app)')
    .option('--class <Class>', 'class of a file whose name and content do not contain it')
    .option('--relation <Class.field>', 'relation of a file of members')
    .option('--encoding <name>', ENCODING, parseEncoding)
    .option('--from <url>', 'base URL of the API of a running source app, instead of files')
    .option('--source-app <appId>', 'app ID in the source')
    .option(
      '--master-key <key>',
      'master key of the source app; HOMEPORT_SOURCE_MASTER_KEY hides it from other users of the machine',
    )
    .option('--rate <requests>', 'maximum requests per second to the source', positive, 10)
    .option('--without-acl', 'accept that the source returns no ACLs, because its objects have none')
    .option('--no-files', 'do not compare the contents of files')
    .option('--no-messages', 'do not compare the messages of a running source app')
    .option(
      '--sample <objects>',
      'compare all fields of about this many objects per class, and only the ids of the others',
      integer,
    )
    .option(
      '--login <file>',
      'try to log in with each line of a file: `username password` or JSON Lines; - for standard input',
    )
    .option('--rewritten-urls', 'accept file URLs in texts that were rewritten with --rewrite-urls')
    .option('--old-domain <host>', OLD_DOMAIN, parseOldDomain)
    .option('--json', 'print the result as JSON')
    .option('--report <file>', 'write all differences to this file as JSON Lines')
    .action(runVerify)
}

async function runVerify(paths: readonly string[], flags: Flags): Promise<void> {
  const isLive = flags.from !== undefined
  if (isLive === paths.length > 0)
    throw new Error('name the source: either files, or a running app with --from and --source-app')
  const management = connect(flags)
  const app = await chooseApp(management, flags.app)
  const differences = flags.report === undefined ? null : new DifferencesFile(flags.report)
  const options: VerifyRunOptions = {
    management,
    app,
    appPath: appPath(app.appId),
    sample: flags.sample ?? null,
    withFiles: flags.files,
    oldDomains: flags.rewrittenUrls ? (flags.oldDomain ?? []) : null,
    login: flags.login ?? null,
    differences,
    onInterrupt(leave) {
      for (const [signal, code] of INTERRUPTIONS)
        process.once(signal, () => {
          leave()
          differences?.discard()
          process.stderr.write('\nhomeport: interrupted; nothing was changed\n')
          process.exit(code)
        })
    },
  }
  const verify = () => (isLive ? runLive(flags, options) : runFiles(paths, flags, options))
  const report = await verify().catch((error: unknown) => {
    differences?.discard()
    throw error
  })
  await differences?.close()
  await sendReport(() => comparedReport(report))
  process.stdout.write(`${flags.json ? reportJson(report) : reportText(report)}\n`)
  if (!isSafe(report)) process.exitCode = DIFFERENT
}

async function runFiles(paths: readonly string[], flags: Flags, options: VerifyRunOptions) {
  const formOptions = formOptionsOf(flags)
  const downloads = await downloaded(paths.filter(isWebAddress), `homeport-verify-${options.app.appId}`)
  const local = paths.map((path) => downloads.get(path) ?? path)
  const files = (await Promise.all(local.map(filesAt))).flat()
  if ((formOptions.className !== undefined || formOptions.relation) && files.length > 1)
    throw new Error('--class and --relation require a single file')
  const surveyed = await surveyAll(files, formOptions)
  const report = await verifyFiles(
    surveyed,
    new Progress(
      files.reduce((sum, { size }) => sum + size, 0),
      'different',
    ),
    options,
  )
  for (const path of downloads.values()) await removeDownload(path)
  return report
}

async function runLive(flags: Flags, options: VerifyRunOptions) {
  const masterKey = flags.masterKey ?? process.env.HOMEPORT_SOURCE_MASTER_KEY
  if (flags.sourceApp === undefined) throw new Error('set the app ID in the source with --source-app')
  if (!masterKey) throw new Error('set the master key of the source with --master-key or HOMEPORT_SOURCE_MASTER_KEY')
  const progress = new PullProgress()
  const source = new SourceApp({
    url: webAddress('--from', flags.from!),
    appId: flags.sourceApp,
    masterKey,
    pace: new Pace(flags.rate),
    say: (line) => progress.say(line),
  })
  return verifyLive({ source, withoutAcl: flags.withoutAcl ?? false, withMessages: flags.messages }, progress, options)
}

function positive(text: string): number {
  const number = Number(text)
  if (!(number > 0 && number <= 1000))
    throw new InvalidArgumentError('must be a number greater than 0 and at most 1000')
  return number
}

function integer(text: string): number {
  if (!/^\d{1,12}$/.test(text) || Number(text) === 0)
    throw new InvalidArgumentError('must be a whole number greater than 0')
  return Number(text)
}
