import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** Tests beside their file that neither import `test/support` (but `runs.ts` and `recorded-log.ts`) nor have anything injected need no database and no server. */
const unitTests = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => join('src', file).replaceAll('\\', '/'))
  .filter((file) => !/\/test\/support\/(?!(runs|recorded-log)\.ts)|inject\(/.test(readFileSync(file, 'utf8')))

export default defineConfig({
  test: {
    reporters: ['default', './test/support/closing-line.ts'],
    // One for each processor, and two where there is one: most of the time a test waits for a server or a database.
    maxWorkers: Math.max(availableParallelism(), 2),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A busy machine takes its time: what is awaited comes, or the test fails all the same.
    expect: { poll: { timeout: 10_000 } },
    projects: [
      { extends: true, test: { name: 'unit', include: unitTests } },
      {
        extends: true,
        test: {
          name: 'server',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...unitTests],
          globalSetup: ['test/support/global-setup.ts'],
        },
      },
    ],
  },
})
