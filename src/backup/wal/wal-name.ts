import { isSegment } from '../postgres/wal-segments.ts'

/** An archived WAL segment. */
export interface ArchivedSegment {
  readonly segment: string
  /** The time of its last record, or a few seconds later. */
  readonly at: Date
  /** Of its keys, in hexadecimal; null: not encrypted. */
  readonly salt: string | null
  /** The name of its file. */
  readonly file: string
}

/** Returns the folder of an installation's WAL at the target. */
export function walFolder(installation: string): string {
  return `wal-${installation}`
}

/** Returns the file name of an archived segment. Names sort by position. */
export function walFile(segment: string, at: Date, salt: string | null): string {
  const time = at.toISOString().replace(/[-:]|\.\d+/g, '')
  return `${segment}.${time}${salt === null ? '.gz' : `.${salt}.gz.enc`}`
}

/** Parses a file name; null for another file. */
export function parseWalFile(file: string): ArchivedSegment | null {
  const [, segment, year, month, day, time, salt] =
    /^([0-9A-F]{24})\.(\d{4})(\d\d)(\d\d)T(\d{6})Z(?:\.([0-9a-f]{32})\.gz\.enc|\.gz)$/.exec(file) ?? []
  if (segment === undefined || !isSegment(segment)) return null
  const at = new Date(`${year}-${month}-${day}T${time!.replace(/(\d\d)(\d\d)(\d\d)/, '$1:$2:$3')}Z`)
  return Number.isNaN(at.getTime()) ? null : { segment, at, salt: salt ?? null, file }
}
