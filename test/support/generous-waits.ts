import { vi } from 'vitest'

// `vi.waitFor` gives up after a second and has no setting: here it waits as long as `expect.poll` (vitest.config.ts). The files
// of a worker share `vi`.
const GENEROUS = Symbol.for('homeport.generousWaits')
const shared = vi as typeof vi & { [GENEROUS]?: true }

if (!shared[GENEROUS]) {
  shared[GENEROUS] = true
  const { waitFor } = vi
  vi.waitFor = (callback, options = {}) =>
    waitFor(callback, { timeout: 30_000, ...(typeof options === 'number' ? { timeout: options } : options) })
}
