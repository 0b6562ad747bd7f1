import { addCounts, addNotes, type ImportState, NO_COUNTS, type Notes } from '../../import/batch.ts'
import { type Notice, notice } from '../../notices/notice.ts'
import type { JsonObject } from '../../values/json.ts'
import { importReport, RejectedFile, reportText, sumOfCounts, writeReport } from '../import/report.ts'
import type { Rewritten } from '../import/rewrite-urls.ts'
import type { Management } from '../management.ts'
import { sendReport } from '../parent-server.ts'
import type { Compared } from './compare-ids.ts'
import type { Part, PullTarget } from './part.ts'
import { LOGINS_PART, type Logins } from './pull-logins.ts'
import type { PullProgress } from './pull-progress.ts'

/** The complete outcome of a pull. */
export interface PullOutcome {
  readonly parts: readonly Part[]
  /** The classes of the source that can exist here. */
  readonly names: readonly string[]
  readonly logins: Logins
  readonly compared: readonly Compared[]
  readonly rewritten: Rewritten | null
  readonly notUnderstood: readonly Notice[]
  /** Parts of the source's schema that were not applied. */
  readonly schema: readonly Notice[]
  /** Further remarks. */
  readonly remarks: readonly Notice[]
}

/** The destination of the report of a pull. */
interface ReportTarget {
  readonly target: PullTarget
  readonly progress: PullProgress
  /** The directory of the report. */
  readonly report: string
}

/** Writes and shows the report. @returns whether all records were accepted */
export async function reportPull(
  { target: { management, appPath }, progress, report: directory }: ReportTarget,
  { parts, names, logins, compared, rewritten, notUnderstood, schema, remarks: earlier }: PullOutcome,
): Promise<boolean> {
  const rejected = await RejectedFile.open(directory)
  let counts: ImportState['counts'] = {}
  let notes: Notes = {}
  for (const { importPath } of [...parts, ...compared.map(({ part }) => part)]) {
    const state = (await management.request('GET', importPath)) as ImportState
    counts = sumOfCounts(counts, state.counts)
    notes = addNotes(notes, Object.values(state.notes))
    await rejected.writeAllOf(management, importPath)
  }
  for (const importPath of logins.importPaths) {
    const state = (await management.request('GET', importPath)) as ImportState
    counts = sumOfCounts(counts, { [LOGINS_PART]: Object.values(state.counts).reduce(addCounts, NO_COUNTS) })
    await rejected.writeAllOf(management, importPath)
  }
  const remarks = [...earlier, ...(logins.reason === null ? [] : [withoutLogins(logins.reason)])]
  await rejected.close()
  const objectsHere = await finish(management, appPath, names)
  const removed = Object.fromEntries(
    compared.map(({ name, removed, kept, refusal }) => [name, { removed, kept, refusal }]),
  )
  const report = {
    dryRun: false,
    counts,
    objectsHere,
    notes,
    reasons: rejected.reasons,
    notUnderstood,
    schema,
    removed,
    remarks,
    rewritten,
    rejected: rejected.count,
  }
  await writeReport(directory, report)
  await sendReport(() => importReport(report))
  progress.end()
  process.stdout.write(`\n${reportText(report)}\nReport written to ${directory}.\n`)
  return rejected.count === 0
}

function withoutLogins(reason: Notice): Notice {
  return notice('loginsMissing', { reason })
}

/** @returns the number of objects by class */
async function finish(
  management: Management,
  appPath: string,
  classes: readonly string[],
): Promise<{ [name: string]: number }> {
  const objects: { [className: string]: number } = {}
  // One request per class, because a large class takes long and a request at most five minutes.
  for (const className of classes) {
    const answer = (await management.request('POST', `${appPath}/imports/finish`, {
      classes: [className],
    })) as JsonObject
    Object.assign(objects, answer.objects)
  }
  return objects
}
