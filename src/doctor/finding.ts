import type { ValuesOf } from '../notices/catalog.ts'
import type { DOCTOR } from '../notices/english/doctor.ts'
import { ENGLISH } from '../notices/english.ts'
import type { Notice, NoticeValue } from '../notices/notice.ts'

export const LEVELS = ['ok', 'warning', 'error'] as const
export type Level = (typeof LEVELS)[number]

/** What a check has found. The texts are notices, so that the console can show them in the language of its reader. */
export interface Finding {
  readonly level: Level
  /** Stable name for scripts, such as `smtp-login`. */
  readonly id: string
  readonly text: Notice
  /** How to fix a problem; null when there is none. */
  readonly fix: Notice | null
}

type Code = keyof typeof DOCTOR
/** The codes of problems: those with a second text that says how to fix them. */
type ProblemCode = { [code in Code]: `${code}Fix` extends Code ? code : never }[Code]
type FineCode = Exclude<Code, ProblemCode | `${ProblemCode}Fix`>
type Values<C extends Code> = ValuesOf<(typeof DOCTOR)[C], NoticeValue>
type ProblemValues<C extends ProblemCode> = Values<C> & Values<`${C}Fix` & Code>
type Given<Values> = keyof Values extends never ? [] : [values: Values]

/** Returns the finding that a part works. */
export function fine<C extends FineCode>(code: C, ...[values]: Given<Values<C>>): Finding {
  return { level: 'ok', id: idOf(code), text: { code, ...values }, fix: null }
}

/** Returns a finding about a part that works, with a disadvantage. */
export function warning<C extends ProblemCode>(code: C, ...[values]: Given<ProblemValues<C>>): Finding {
  return problem('warning', code, values)
}

/** Returns a finding about a part that does not work. */
export function failure<C extends ProblemCode>(code: C, ...[values]: Given<ProblemValues<C>>): Finding {
  return problem('error', code, values)
}

function problem(level: Level, code: ProblemCode, values: object | undefined): Finding {
  return { level, id: idOf(code), text: { code, ...values }, fix: { code: `${code}Fix`, ...values } }
}

/** Returns the id of a code: `doctorSmtpLogin` becomes `smtp-login`. */
function idOf(code: Code): string {
  return code
    .replace(/^doctor/, '')
    .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`)
    .toLowerCase()
}

/** All ids of problems, for the documentation. */
export function problemIds(): string[] {
  const codes = Object.keys(ENGLISH).filter((code) => code.startsWith('doctor') && `${code}Fix` in ENGLISH)
  return codes.map((code) => idOf(code as Code))
}

/** Returns the reason of an error in one line: the code of a network error, else its text. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as NodeJS.ErrnoException
  const text = error.message.split('\n', 1)[0]!.trim()
  return text || (code ?? error.name)
}
