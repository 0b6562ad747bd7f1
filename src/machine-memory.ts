import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { dirname, join } from 'node:path'

/** Where Linux shows the control groups of this process, and their limits. */
export interface ControlGroups {
  /** `/proc/self/cgroup` */
  readonly membership: string
  /** `/sys/fs/cgroup` */
  readonly root: string
}

const LINUX: ControlGroups = { membership: '/proc/self/cgroup', root: '/sys/fs/cgroup' }
/** Files with the limit of a control group, by version. `memory.high` slows a group down before `memory.max` ends processes. */
const LIMIT_FILES = { v1: ['memory.limit_in_bytes'], v2: ['memory.max', 'memory.high'] } as const

/**
 * Returns the memory that this process can use, in bytes: that of the machine, or the limit of its container or service if that is
 * smaller. The limits of all enclosing groups count; Node's `process.constrainedMemory()` only reads the innermost.
 */
export function machineMemory(groups: ControlGroups = LINUX, total: number = totalmem()): number {
  return Math.min(total, ...limits(groups))
}

function limits({ membership, root }: ControlGroups): number[] {
  const lines = read(membership)?.split('\n') ?? []
  return lines.flatMap((line) => {
    // `0::/path` is version 2, `4:memory:/path` version 1.
    const [, controllers = '', path = '/'] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
    if (line.startsWith('0::')) return limitsUp(root, path, LIMIT_FILES.v2)
    return controllers.split(',').includes('memory') ? limitsUp(join(root, 'memory'), path, LIMIT_FILES.v1) : []
  })
}

/** Reads the limits of a group and those around it. Groups outside of a container have no files in it. */
function limitsUp(root: string, path: string, files: readonly string[]): number[] {
  const found: number[] = []
  for (let group = path; ; group = dirname(group)) {
    for (const file of files) {
      const text = read(join(root, group, file))?.trim() ?? ''
      // Without a limit, version 2 says `max`, and version 1 a number beyond all memory.
      if (/^\d+$/.test(text) && Number(text) > 0) found.push(Number(text))
    }
    if (group === '/' || group === '.') return found
  }
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
