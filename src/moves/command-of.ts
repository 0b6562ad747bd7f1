import { join } from 'node:path'
import type { Action, MoveOptions, MoveSource } from './move.ts'

interface CommandRequest {
  readonly source: MoveSource
  readonly action: Action
  readonly options: MoveOptions
  /** Paths of the files of the source (`filesOf`). */
  readonly paths: readonly string[]
  readonly appId: string
  /** The base URL of this server. */
  readonly url: string
  /** The folder of the report. */
  readonly report: string
}

/** The file that a comparison writes the differences to. */
export const DIFFERENCES = 'differences.jsonl'

/** Returns the arguments of the command that performs an action (docs/moving-in.md). */
export function commandOf({ source, action, options, paths, appId, url, report }: CommandRequest): string[] {
  const common = ['--url', url, '--app', appId]
  const oldDomains = (options.oldDomains ?? []).flatMap((host) => ['--old-domain', host])
  const rewritten = options.rewriteFields?.join(',') || 'all'
  const rewriting = options.rewriteUrls
    ? [...(action === 'verify' ? ['--rewritten-urls'] : ['--rewrite-urls', rewritten]), ...oldDomains]
    : []
  const from = source.kind === 'app' ? ['--from', source.url, '--source-app', source.appId] : []
  const what = source.kind === 'files' ? ['--', ...paths] : []
  const rate = options.rate === undefined ? [] : ['--rate', String(options.rate)]
  const withoutAcl = options.withoutAcl ? ['--without-acl'] : []
  const encoding = source.kind === 'files' && options.encoding !== undefined ? ['--encoding', options.encoding] : []
  const withoutMessages = options.messages === false ? ['--no-messages'] : []
  if (action === 'verify') {
    const live = source.kind === 'app' ? [...from, ...rate, ...withoutAcl, ...withoutMessages] : []
    const files = options.files === false ? ['--no-files'] : []
    return [
      'verify',
      ...common,
      ...live,
      ...files,
      ...encoding,
      ...rewriting,
      '--report',
      join(report, DIFFERENCES),
      ...what,
    ]
  }
  const writing = [
    ...(options.onConflict === undefined ? [] : ['--on-conflict', options.onConflict]),
    ...(options.strict ? ['--strict'] : []),
    ...(options.again ? ['--again'] : []),
    ...(action === 'try' ? ['--dry-run'] : []),
    ...rewriting,
    '--report',
    report,
  ]
  if (source.kind === 'files') return ['import', ...common, ...encoding, ...writing, ...what]
  return [
    'pull',
    ...common,
    ...from,
    ...rate,
    ...(options.parallel === undefined ? [] : ['--parallel', String(options.parallel)]),
    ...hoursOf(options),
    ...filesFrom(options),
    ...loginsFrom(options, paths),
    ...withoutMessages,
    ...(options.chatDetails ? ['--chat-details'] : []),
    ...(options.compareIds ? ['--compare-ids'] : []),
    ...(options.allowManyDeletions ? ['--allow-many-deletions'] : []),
    ...following(options),
    ...withoutAcl,
    ...writing,
  ]
}

function following({ follow, until, every }: MoveOptions): string[] {
  if (!follow) return []
  const pause = every === undefined ? [] : ['--every', String(every)]
  return ['--follow', ...pause, ...(until === undefined ? [] : ['--until', until])]
}

function hoursOf({ nightHours, dayRate }: MoveOptions): string[] {
  if (nightHours === undefined) return []
  return ['--night-hours', nightHours, ...(dayRate === undefined ? [] : ['--day-rate', String(dayRate)])]
}

function filesFrom({ files, filesFrom }: MoveOptions): string[] {
  if (files === false) return ['--no-files']
  return filesFrom === undefined ? [] : ['--files-from', filesFrom]
}

function loginsFrom({ passwords }: MoveOptions, [users]: readonly string[]): string[] {
  if (passwords === false) return ['--no-passwords']
  return users === undefined ? [] : ['--users', users]
}
