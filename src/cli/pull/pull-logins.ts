import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasRecords } from '../../import/forms/records.ts'
import { filesAt } from '../../import/sources/files.ts'
import { at, type Notice, notice } from '../../notices/notice.ts'
import { NoticedError, noticeOf } from '../../notices/noticed-error.ts'
import type { JsonObject } from '../../values/json.ts'
import { download, isWebAddress } from '../import/download.ts'
import { downloadProgress } from '../import/download-progress.ts'
import { send } from '../import/send.ts'
import { surveyAll } from '../import/survey.ts'
import { Part, type PullTarget } from './part.ts'
import { type SourceApp, SourceRefusal } from './source-app.ts'

export const LOGINS_PART = 'logins of users'

/** The source of the passwords and session tokens of users. */
export interface LoginSource {
  /** The path or URL of an export; null: an export is requested from the source. */
  readonly file: string | null
  /** A temporary directory for downloads, used for nothing else. */
  readonly directory: string
  /** Hosts, with ports, that the administrator specified. Only these may have private addresses. */
  readonly trusted: ReadonlySet<string>
}

/** The result of pulling credentials. */
export interface Logins {
  /** The paths of the imports of exports in the management API. */
  readonly importPaths: readonly string[]
  /** Why users have no credentials; null when they were imported. */
  readonly reason: Notice | null
}

/** Milliseconds between two checks for the export, increasing, and the time after which the check is left to the next pull. */
const FIRST_PAUSE = 500
const LONGEST_PAUSE = 30_000
const TIMEOUT_MS = 3 * 3600 * 1000
/** A source that does not support this selection exports all classes. */
const USERS = '_User'

/**
 * Imports the credentials of users, which the API does not return (protocol/moving-in, Over the API),
 * from an export that is requested from the source or was downloaded. Credentials that were set here later are kept.
 * @throws Error with one line for the user
 */
export async function pullLogins(source: SourceApp, target: PullTarget, logins: LoginSource): Promise<Logins> {
  if (logins.file !== null && !isWebAddress(logins.file)) return importLogins(target, logins.file)
  const part = logins.file === null ? await Part.open(target, LOGINS_PART, false) : null
  let url = logins.file
  if (part) {
    const exported = await exportOf(source, part)
    if ('reason' in exported) return { importPaths: [], reason: exported.reason }
    url = exported.url
  }
  const { directory, trusted } = logins
  let path: string
  try {
    path = await download(url!, { directory, trusted, onBytes: downloadProgress('the export') })
  } catch (error) {
    if (part) await setExport(part, null)
    return { importPaths: [], reason: noticeOf(error) }
  }
  const outcome = await importLogins(target, path)
  // Password hashes must not remain on disk, including those of an interrupted pull.
  await rm(directory, { recursive: true, force: true })
  if (part) await setExport(part, null)
  return outcome
}

/** Requests an export, or checks the one requested before. */
async function exportOf(
  source: SourceApp,
  part: Part,
): Promise<{ readonly url: string } | { readonly reason: Notice }> {
  try {
    let id = part.mark === null ? null : (JSON.parse(part.mark) as { readonly export: string | null }).export
    if (id === null) {
      id = idOf(await source.send('/1.1/exportData', { classes: USERS }))
      await setExport(part, id)
    }
    const until = Date.now() + TIMEOUT_MS
    for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE)) {
      const { status, download_url: url } = await source.object(`/1.1/exportData/${id}`)
      if (typeof url === 'string' && isWebAddress(url) && URL.canParse(url)) return { url }
      if (status !== 'running') {
        await setExport(part, null)
        return { reason: notice('exportEnded', { status: String(status).slice(0, 60) }) }
      }
      if (Date.now() > until) return { reason: notice('exportTooSlow') }
      await sleep(pause)
    }
  } catch (error) {
    if (!(error instanceof SourceRefusal)) throw error
    await setExport(part, null)
    return { reason: error.notice }
  }
}

/** @throws Error when the id is invalid; it becomes part of a path */
function idOf({ id }: JsonObject): string {
  if (typeof id !== 'string' || !/^[\w-]{1,200}$/.test(id)) throw new NoticedError(notice('exportWithoutId'))
  return id
}

function setExport(part: Part, id: string | null): Promise<void> {
  return part.write({ kind: 'objects', className: USERS }, [], JSON.stringify({ export: id }))
}

/** Imports the users of an export. */
async function importLogins(target: PullTarget, path: string): Promise<Logins> {
  const importPaths: string[] = []
  const unread: Notice[] = []
  for (const found of await surveyAll(await filesAt(path), { className: undefined, relation: undefined })) {
    for (const { name, form } of found.entries) if (form.form === 'unknown') unread.push(at(name, form.reason))
    const entries = found.entries.map((entry) => {
      const isOfUsers = 'of' in entry.form && !('field' in entry.form.of) && entry.form.of.className === USERS
      return isOfUsers ? entry : { ...entry, form: { form: 'nothing' } as const }
    })
    if (!entries.some(({ form }) => hasRecords(form))) continue
    const { importId, faults } = await send(
      { ...found, entries },
      {
        management: target.management,
        path: `${target.appPath}/imports`,
        onConflict: 'newer',
        strict: target.strict,
        dryRun: false,
        again: false,
        isWanted: (of) => of.kind === 'objects' && of.className === USERS,
        onRead: () => {},
        onBatch: async (_, outcome) => target.onBatch(LOGINS_PART, outcome),
      },
    )
    importPaths.push(`${target.appPath}/imports/${importId}`)
    const [fault] = faults
    if (fault) return { importPaths, reason: notice('exportDamaged', { reason: fault }) }
  }
  if (importPaths.length > 0) return { importPaths, reason: null }
  return {
    importPaths,
    reason: unread[0]
      ? notice('because', { what: notice('exportWithoutUsers'), reason: unread[0] })
      : notice('exportWithoutUsers'),
  }
}
