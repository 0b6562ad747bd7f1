import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { machineMemory } from './machine-memory.ts'

const MB = 1024 ** 2

/** Returns the memory on a machine of 4 GB with these files below /sys/fs/cgroup. */
function memoryWith(membership: string, files: Readonly<Record<string, string>>): number {
  const root = mkdtempSync(join(tmpdir(), 'homeport-groups-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  writeFileSync(join(root, 'membership'), membership)
  return machineMemory({ membership: join(root, 'membership'), root }, 4096 * MB) / MB
}

test.each<[string, string, Record<string, string>, number]>([
  ['a container (version 2)', '0::/\n', { 'memory.max': `${384 * MB}\n` }, 384],
  ['no limit (version 2)', '0::/\n', { 'memory.max': 'max\n', 'memory.high': 'max\n' }, 4096],
  [
    'a service with a soft limit',
    '0::/system.slice/homeport.service\n',
    { 'system.slice/homeport.service/memory.high': `${512 * MB}\n` },
    512,
  ],
  [
    'the limit of the slice around a service',
    '0::/small.slice/homeport.service\n',
    { 'small.slice/memory.max': `${256 * MB}\n`, 'small.slice/homeport.service/memory.max': 'max\n' },
    256,
  ],
  [
    'a container (version 1), which sees the path of its host',
    '5:devices:/docker/abc\n4:memory:/docker/abc\n0::/\n',
    { 'memory/memory.limit_in_bytes': `${384 * MB}\n` },
    384,
  ],
  [
    'no limit (version 1)',
    '3:cpu,memory:/a\n',
    {
      'memory/a/memory.limit_in_bytes': '9223372036854771712\n',
      'memory/memory.limit_in_bytes': '9223372036854771712\n',
    },
    4096,
  ],
  ['a limit above the memory of the machine', '0::/\n', { 'memory.max': `${8192 * MB}\n` }, 4096],
  ['a system without control groups', '', {}, 4096],
])('reads the memory of %s', (_, membership, files, megabytes) => {
  expect(memoryWith(membership, files)).toBe(megabytes)
})
