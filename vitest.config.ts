import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const USES_CLIENT = /\bleancloud-|\bleanengine\b|\/support\/(cloud-code|live-query|realtime|sdk|social)\b/

const tests = ['src', 'test', 'console/src']
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)))
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }))

/** Tests beside their file that neither import `test/support` (but `runs.ts` and `recorded-log.ts`) nor have anything injected need no database and no server. */
const unitTests = names(
  ({ file, text }) => !file.startsWith('test/') && !/\/test\/support\/(?!(runs|recorded-log)\.ts)|inject\(/.test(text),
)
/** A browser is several processes that are busy, where a test of a server waits more often than not. */
const browserTests = names(({ text }) => /\/support\/(browser|console)\.ts'/.test(text))
/** Clients keep what they were told last in their modules: the app, the user, the connection. */
const clientTests = names(
  ({ file, text }) =>
    (/^test\/(apps|clients|sdk)\//.test(file) || USES_CLIENT.test(text)) &&
    !unitTests.includes(file) &&
    !browserTests.includes(file),
)
const serverTests = names(({ file }) => ![...unitTests, ...browserTests, ...clientTests].includes(file))

function names(isMeant: (test: { readonly file: string; readonly text: string }) => boolean): string[] {
  return tests.filter(isMeant).map(({ file }) => file)
}

const processors = availableParallelism()
/**
 * Files of a worker share the modules that they import, which saves a seventh of the processor time of all tests. They leave
 * nothing behind in them: each has its own app, and what it starts or sets it ends. Those of clients do.
 */
const shared = { isolate: false }
const withServer = { globalSetup: ['test/support/global-setup.ts'] }

export default defineConfig({
  test: {
    ...(process.env.HOMEPORT_TEST_COSTS && { setupFiles: ['test/support/costs.ts'] }),
    reporters: ['default', './test/support/closing-line.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A busy machine takes its time: what is awaited comes, or the test fails all the same.
    expect: { poll: { timeout: 10_000 } },
    // Group by group: with more than one browser for each processor, tests of browsers end too late.
    projects: [
      inGroup(0, processors + 1, 'unit', { include: unitTests, ...shared }),
      inGroup(0, processors + 1, 'server', { include: serverTests, ...withServer, ...shared }),
      inGroup(0, processors + 1, 'client', { include: clientTests, ...withServer }),
      inGroup(1, Math.max(processors, 2), 'browser', { include: browserTests, ...withServer }),
    ],
  },
})

function inGroup(groupOrder: number, maxWorkers: number, name: string, test: object) {
  return { extends: true as const, test: { name, maxWorkers, sequence: { groupOrder }, ...test } }
}
