import { maxOpenFiles } from '../../limits/connections.ts'
import { machineMemory } from '../../machine-memory.ts'
import type { Examination } from '../examination.ts'
import { type Finding, failure, fine, warning } from '../finding.ts'
import { gigabytes, megabytes } from '../shown-size.ts'

const MINIMUM_NODE = [20, 19] as const
/** Bytes that a server with an embedded database was measured to work in (docs/operations.md, Sizing). */
const ENOUGH_MEMORY = 384 * 1024 ** 2
/** Open files below which a server with a few thousand clients fails; the default of many shells is 1024. */
export const FEW_OPEN_FILES = 4096

/** Checks Node, memory and the limit of open files. */
export function checkMachine({ config }: Examination): Finding[] {
  return [
    checkNode(process.versions.node),
    ...checkMemory(machineMemory(), config.databaseUrl === null),
    ...checkOpenFiles(),
  ]
}

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isEnough = major > MINIMUM_NODE[0] || (major === MINIMUM_NODE[0] && minor >= MINIMUM_NODE[1])
  return isEnough
    ? fine('doctorNode', { version })
    : failure('doctorNodeOld', { version, required: MINIMUM_NODE.join('.') })
}

/** @param isEmbedded whether the database shares the memory */
export function checkMemory(bytes: number, isEmbedded: boolean): Finding[] {
  const memory = gigabytes(bytes)
  return isEmbedded && bytes < ENOUGH_MEMORY
    ? [warning('doctorMemoryLittle', { memory: megabytes(bytes), required: megabytes(ENOUGH_MEMORY) })]
    : [fine('doctorMemory', { memory })]
}

/** @param limit maximum open files; null when it is unknown or unlimited */
export function checkOpenFiles(limit: number | null = maxOpenFiles()): Finding[] {
  if (limit === null) return []
  return [
    limit < FEW_OPEN_FILES
      ? warning('doctorOpenFilesFew', { limit: String(limit) })
      : fine('doctorOpenFiles', { limit: String(limit) }),
  ]
}
