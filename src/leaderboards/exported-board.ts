import { errors } from '../errors.ts'
import { checkFileKey } from '../files/file-key.ts'
import { type Notice, notice } from '../notices/notice.ts'
import { canonicalDate, isDatabaseTime } from '../values/date.ts'
import { isJsonObject, type JsonObject, member, parseJson, shown } from '../values/json.ts'
import { checkObjectId } from '../values/names.ts'
import { MAX_ARCHIVES } from './archives.ts'
import { type BoardBody, parseBoard } from './board-body.ts'

/** A leaderboard exported from another app, without its values. Dates are canonical. */
export interface ExportedBoard extends BoardBody {
  readonly id: string
  readonly version: number
  readonly activatedAt: string
  /** null: the version does not expire */
  readonly expiredAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly archives: readonly ExportedArchive[]
}

/** The record of an archive. Its file is imported with the other files. */
export interface ExportedArchive {
  readonly id: string
  readonly version: number
  /** Whether its file has been written; if not, the version keeps its values. */
  readonly isWritten: boolean
  readonly fileKey: string
  readonly fileId: string
  readonly activatedAt: string
  readonly deactivatedAt: string
  readonly createdAt: string
  readonly updatedAt: string
}

/** Maximum version, because versions are four-byte integers. */
const MAX_VERSIONS = 2 ** 31 - 1

/**
 * Parses a line of the leaderboards in an export (docs/moving-in-reference.md, Files of an export).
 * @throws ApiError that names the invalid member
 */
export function parseExportedBoard(text: string): ExportedBoard {
  const line = objectOf(parseJson(text, notice('theLine')), notice('theLine'))
  const version = versionOf(line)
  const expiredAt = member(line, 'expiredAt') ?? null
  const archives = member(line, 'archives') ?? []
  if (!Array.isArray(archives) || archives.length > MAX_ARCHIVES)
    throw errors.incorrectType(notice('archivesForm', { maximum: MAX_ARCHIVES }))
  const read = archives.map((one) => archiveOf(objectOf(one, notice('anArchive'))))
  const versions = new Set(read.map((archive) => archive.version))
  if (versions.size < read.length || [...versions].some((one) => one >= version))
    throw errors.incorrectType(notice('archivesVersions'))
  return {
    ...parseBoard(line),
    id: checkObjectId(member(line, 'objectId')),
    version,
    activatedAt: dateOf(line, 'activatedAt'),
    expiredAt: expiredAt === null ? null : dateOf(line, 'expiredAt'),
    createdAt: dateOf(line, 'createdAt'),
    updatedAt: dateOf(line, 'updatedAt'),
    archives: read,
  }
}

function archiveOf(archive: JsonObject): ExportedArchive {
  const fileKey = member(archive, 'file_key')
  if (typeof fileKey !== 'string') throw errors.incorrectType(notice('archiveFileKey'))
  return {
    id: checkObjectId(member(archive, 'objectId')),
    version: versionOf(archive),
    isWritten: member(archive, 'status') === 'completed',
    fileKey: checkFileKey(fileKey, 'file_key'),
    fileId: checkObjectId(member(archive, 'file_id')),
    activatedAt: dateOf(archive, 'activatedAt'),
    deactivatedAt: dateOf(archive, 'deactivatedAt'),
    createdAt: dateOf(archive, 'createdAt'),
    updatedAt: dateOf(archive, 'updatedAt'),
  }
}

function objectOf(value: unknown, called: Notice): JsonObject {
  if (isJsonObject(value)) return value
  throw errors.malformedJson(notice('notObject', { what: called }))
}

function versionOf(of: JsonObject): number {
  const version = member(of, 'version')
  if (typeof version === 'number' && Number.isInteger(version) && version >= 0 && version <= MAX_VERSIONS)
    return version
  throw errors.incorrectType(notice('versionForm', { maximum: MAX_VERSIONS, given: shown(version) }))
}

function dateOf(of: JsonObject, name: string): string {
  const text = member(of, name)
  const date = typeof text === 'string' ? canonicalDate(text) : null
  if (date === null || !isDatabaseTime(date))
    throw errors.incorrectType(notice('isoDateForm', { name, given: shown(text) }))
  return date
}
