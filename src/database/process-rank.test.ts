import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { describe, expect, it, onTestFinished } from 'vitest'
import { giveWay } from './process-rank.ts'

/** A process that leads a session, as each of PostgreSQL's does. */
function leader(): number {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child.pid!
}

describe.skipIf(process.platform === 'win32')('giveWay', () => {
  it('ranks the process behind this one', async () => {
    const pid = leader()
    await giveWay(pid, 3)
    expect(getPriority(pid)).toBe(Math.min(getPriority() + 3, 19))
  })

  it.skipIf(!existsSync('/proc/self/autogroup'))('ranks the group of its session, too', async () => {
    const pid = leader()
    const group = () => readFileSync(`/proc/${pid}/autogroup`, 'utf8')
    expect(group()).toMatch(/ nice 0$/m)
    await giveWay(pid, 3)
    expect(group()).toMatch(new RegExp(` nice ${Math.min(getPriority() + 3, 19)}$`, 'm'))
  })

  it('lets a process be that has gone', async () => {
    const gone = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' })
    await new Promise((resolve) => gone.once('exit', resolve))
    await expect(giveWay(gone.pid!, 3)).resolves.toBeUndefined()
  })
})
