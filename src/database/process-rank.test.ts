import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { describe, expect, it, onTestFinished } from 'vitest'
import { giveWay } from './process-rank.ts'

/** A process that leads a session, as each PostgreSQL process does. */
function leader(): number {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child.pid!
}

describe.skipIf(process.platform === 'win32')('giveWay', () => {
  it('ranks a process below this one', async () => {
    const pid = leader()
    await giveWay(pid, 3)
    expect(getPriority(pid)).toBe(Math.min(getPriority() + 3, 19))
  })

  it.skipIf(!existsSync('/proc/self/autogroup'))('also ranks the group of its session', async () => {
    const pid = leader()
    const group = () => readFileSync(`/proc/${pid}/autogroup`, 'utf8')
    expect(group()).toMatch(/ nice 0$/m)
    await giveWay(pid, 3)
    expect(group()).toMatch(new RegExp(` nice ${Math.min(getPriority() + 3, 19)}$`, 'm'))
  })

  it('ignores a process that has ended', async () => {
    const exited = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' })
    await new Promise((resolve) => exited.once('exit', resolve))
    await expect(giveWay(exited.pid!, 3)).resolves.toBeUndefined()
  })
})
