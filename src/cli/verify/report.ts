import { createWriteStream, rmSync, type WriteStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { finished } from 'node:stream/promises'
import { reserveOfCommand } from '../../disk-reserve.ts'
import type { Notes } from '../../import/batch.ts'
import { inEnglish } from '../../notices/in-english.ts'
import type { Notice } from '../../notices/notice.ts'
import { printable } from '../printable.ts'
import type { ComparedBoards } from './compare-boards.ts'
import type { ComparedSchema } from './compare-schema.ts'
import type { CheckedLogins, FailedLogin } from './logins.ts'
import type { Meaning } from './meaning.ts'
import { remarksOf } from './remarks.ts'
import type { Difference, Tallied } from './tally.ts'

/** The complete result of a comparison. */
export interface VerifyReport {
  readonly tallied: ReadonlyMap<string, Tallied>
  /** Some differences of each class. */
  readonly examples: readonly Difference[]
  readonly notes: Notes
  /** Classes, fields and permissions that differ from the source. */
  readonly schema: ComparedSchema
  readonly boards: ComparedBoards
  /** Parts of the source that could not be read. */
  readonly notRead: readonly Notice[]
  /** Further remarks. */
  readonly remarks: readonly Notice[]
  /** Classes with objects that the source does not have. */
  readonly otherClasses: readonly string[]
  /** null: no logins were checked */
  readonly logins: CheckedLogins | null
  /** Number of objects per class whose fields were all to be compared; null: all. */
  readonly sample: number | null
}

/** Maximum differences that are shown. */
const MAX_EXAMPLES = 20
/** Maximum phrases in the conclusion. */
const MAX_PHRASES = 8
const WORDS: Readonly<Record<Meaning, string>> = {
  missing: 'missing',
  differs: 'different',
  unreadable: 'unreadable',
  'only here': 'only in the app',
  'changed here since': 'changed in the app since',
  'changed there since': 'changed in the source since',
  'made here since': 'created in the app since',
  'made there since': 'created in the source since',
  'no longer there': 'no longer in the source',
}

/** Returns whether a switch is safe. */
export function isSafe(report: VerifyReport): boolean {
  return faultsOf(report).length === 0
}

/** Returns the conclusion in one line: whether a switch is safe, otherwise why not. */
export function conclusion(report: VerifyReport): string {
  const faults = faultsOf(report)
  if (faults.length > 0) {
    const listed = faults.slice(0, MAX_PHRASES)
    const more = faults.length - listed.length
    return `Not safe to switch: ${listed.join(', ')}${more > 0 ? `, and ${more} more ${more === 1 ? 'problem' : 'problems'}` : ''}.`
  }
  const rows = [...report.tallied]
  const compared = rows.reduce((sum, [, { compared }]) => sum + compared, 0)
  const all = rows.reduce((sum, [, { there }]) => sum + there, 0)
  const depth =
    report.sample === null
      ? `all ${all} records of the source are in the app and match`
      : `all ${all} records of the source are in the app, and the ${compared} compared in all fields match`
  const since = (meaning: Meaning) => rows.reduce((sum, [, { verdicts }]) => sum + (verdicts[meaning] ?? 0), 0)
  const changed = [
    [since('changed here since'), 'changed in the app since'],
    [since('made here since'), 'created in the app since'],
    [since('changed there since') + since('made there since'), 'changed in the source since: pull again'],
  ] as const
  const but = changed.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`)
  const logins = report.logins ? `; ${report.logins.checked} of ${report.logins.checked} logins succeed` : ''
  return `Safe to switch: ${depth}${but.length > 0 ? ` (but ${but.join(', ')})` : ''}${logins}.`
}

function faultsOf({ tallied, schema, boards, notRead, logins }: VerifyReport): string[] {
  const total = [...tallied.values()].reduce((sum, { there }) => sum + there, 0)
  return [
    ...(total === 0 && tallied.size === 0 && boards.count === 0 && notRead.length === 0 ? ['nothing to compare'] : []),
    ...notRead.slice(0, 3).map(inEnglish),
    ...(notRead.length > 3 ? [`${notRead.length - 3} more parts of the source could not be read`] : []),
    ...[...tallied].flatMap(([name, { verdicts }]) => [
      ...counted(name, verdicts.missing, 'is missing', 'are missing'),
      ...counted(name, verdicts.differs, 'differs', 'differ'),
      ...counted(name, verdicts.unreadable, 'cannot be read', 'cannot be read'),
      ...counted(name, verdicts['only here'], 'exists only in the app', 'exist only in the app'),
    ]),
    ...schema.faults.slice(0, 3).map(inEnglish),
    ...(schema.faults.length > 3 ? [`${schema.faults.length - 3} more differences of classes`] : []),
    ...boards.faults.slice(0, 3).map(inEnglish),
    ...(boards.faults.length > 3 ? [`${boards.faults.length - 3} more differences of leaderboards`] : []),
    ...(logins && logins.failed > 0 ? [logins.failed === 1 ? '1 login fails' : `${logins.failed} logins fail`] : []),
  ]
}

function counted(name: string, count: number | undefined, one: string, several: string): string[] {
  if (!count) return []
  return [`${count} ${nounOf(name, count === 1)} ${count === 1 ? one : several}`]
}

function nounOf(name: string, isOne: boolean): string {
  const [noun, of] = name.startsWith('messaging-')
    ? name === 'messaging-messages'
      ? ['message', '']
      : ['row', ` of ${name}`]
    : name === 'bytes of files'
      ? ['file', '']
      : name.startsWith('leaderboard ')
        ? ['value', ` of ${name}`]
        : name.includes('.')
          ? ['member', ` of ${name}`]
          : ['object', ` of ${name}`]
  return `${noun}${isOne ? '' : 's'}${of}`
}

/** Returns the report as plain text, with the conclusion last. */
export function reportText(report: VerifyReport): string {
  const { notes, schema, boards, notRead, otherClasses, logins, examples, tallied } = report
  const noted = Object.values(notes).map(
    ({ notice, count, examples }) =>
      `${count} × ${inEnglish(notice)} (${examples.slice(0, 3).join(', ')}${count > 3 ? ', …' : ''})`,
  )
  const others =
    otherClasses.length > 0
      ? [`not compared, because the source does not have these classes: ${listed(otherClasses)}`]
      : []
  return printable(
    [
      ...tableOf(tallied),
      ...section('Examples:', examples.slice(0, MAX_EXAMPLES).map(exampleText)),
      ...section('Classes that differ:', schema.faults.map(inEnglish)),
      ...section('Leaderboards that differ:', boards.faults.map(inEnglish)),
      ...section('Not read:', notRead.map(inEnglish)),
      ...section('Notes:', [...noted, ...remarksOf(report).map(inEnglish), ...others]),
      ...section('Failed logins:', logins?.failures.slice(0, 20).map(({ who, reason }) => `${who}: ${reason}`) ?? []),
      '',
      conclusion(report),
    ].join('\n'),
  )
}

function tableOf(tallied: ReadonlyMap<string, Tallied>): string[] {
  if (tallied.size === 0) return ['No records found.']
  const hasUnreadable = [...tallied.values()].some(({ verdicts }) => verdicts.unreadable)
  const head = ['Class', 'in source', 'in app', 'same', 'missing', 'different', 'only in app', 'changed since']
  const rows = [...tallied].map(([name, { there, here, same, verdicts }]) => [
    name,
    String(there),
    here === null ? '' : String(here),
    String(same),
    String(verdicts.missing ?? 0),
    String(verdicts.differs ?? 0),
    String(verdicts['only here'] ?? 0),
    String(Object.entries(verdicts).reduce((sum, [what, count]) => (what.endsWith('since') ? sum + count : sum), 0)),
    ...(hasUnreadable ? [String(verdicts.unreadable ?? 0)] : []),
  ])
  const table = [hasUnreadable ? [...head, 'unreadable'] : head, ...rows]
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
  return table.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  '),
  )
}

function exampleText({ class: of, objectId, what, field, there, here, reason, place }: Difference): string {
  const item = `${of} ${objectId ?? place}`
  if (reason !== undefined) return `${item}: ${inEnglish(reason)}`
  if (field === undefined) return `${item}: ${WORDS[what]}`
  const values =
    there === undefined && here === undefined
      ? 'differs'
      : `is ${here ?? 'missing'} in the app, ${there ?? 'missing'} in the source`
  return `${item}: ${inEnglish(field)} ${values}`
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length > 0 ? ['', title, ...lines.map((line) => `  ${line}`)] : []
}

function listed(names: readonly string[]): string {
  return names.length > 20 ? `${names.slice(0, 20).join(', ')} and ${names.length - 20} more` : names.join(', ')
}

/** Returns a difference with English texts, in the form of files. */
export function withTexts({ field, reason, ...difference }: Difference): object {
  return {
    ...difference,
    ...(field !== undefined && { field: inEnglish(field) }),
    ...(reason !== undefined && { reason: inEnglish(reason) }),
  }
}

/** Writes differences as JSON Lines, readable only by the owner. The file appears when it is complete. */
export class DifferencesFile {
  readonly #path: string
  readonly #stream: WriteStream

  constructor(path: string) {
    this.#path = path
    this.#stream = createWriteStream(`${path}.part`, { mode: 0o600 })
    // The failure is thrown by `drained` and `close`.
    this.#stream.on('error', () => {})
  }

  write(difference: Difference): void {
    this.#stream.write(`${JSON.stringify(withTexts(difference))}\n`)
  }

  writeLogin({ who, reason }: FailedLogin): void {
    this.#stream.write(`${JSON.stringify({ what: 'login fails', who, reason })}\n`)
  }

  /** Resolves when the stream accepts further lines, so that a long list does not fill the memory. */
  async drained(): Promise<void> {
    if (this.#stream.writableNeedDrain && !this.#stream.errored)
      await Promise.race([
        new Promise<void>((resolve) => void this.#stream.once('drain', resolve)),
        new Promise<void>((resolve) => void this.#stream.once('close', resolve)),
      ])
    if (this.#stream.errored) throw this.#failure()
    await reserveOfCommand().check(dirname(this.#path))
  }

  async close(): Promise<void> {
    this.#stream.end()
    await finished(this.#stream).catch(() => {
      throw this.#failure()
    })
    await rename(`${this.#path}.part`, this.#path)
  }

  /** Removes the file. Synchronous, so that it can run when the process exits. */
  discard(): void {
    this.#stream.destroy()
    rmSync(`${this.#path}.part`, { force: true })
  }

  #failure(): Error {
    return new Error(`${this.#path} cannot be written: ${this.#stream.errored?.message ?? 'closed'}`)
  }
}
