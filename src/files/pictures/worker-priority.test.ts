import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { expect, it } from 'vitest'
import { sharp } from './image-library.ts'
import { atLowPriority, lowerWorkers } from './worker-priority.ts'

const workers = () =>
  readdirSync('/proc/self/task').filter((thread) =>
    readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').startsWith('libvips worker'),
  )

it.runIf(process.platform === 'linux')(
  'lowers the priority of image library threads, and not that of the event loop',
  async () => {
    const own = getPriority()
    await atLowPriority(() =>
      sharp({ create: { width: 1500, height: 1500, channels: 3, background: 'red' } })
        .resize(1000, 900, { fit: 'fill' })
        .png()
        .toBuffer(),
    )
    lowerWorkers()
    expect(workers().length).toBeGreaterThan(0)
    for (const thread of workers()) expect(getPriority(Number(thread))).toBe(Math.min(own + 10, 19))
    expect(getPriority()).toBe(own)
  },
)

it('throws the error of failed work and runs later work', async () => {
  await expect(atLowPriority(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await atLowPriority(async () => 'done')).toBe('done')
})
