import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', './test/support/closing-line.ts'],
    // One for each processor, and two where there is one: most of the time a test waits for a server or a database.
    maxWorkers: Math.max(availableParallelism(), 2),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A busy machine takes its time: what is awaited comes, or the test fails all the same.
    expect: { poll: { timeout: 10_000 } },
  },
})
