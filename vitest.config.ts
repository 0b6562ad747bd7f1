import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { mutationPlugin } from './scripts/mutations/plugin.mjs'

const USES_CLIENT = /\bleancloud-|\bleanengine\b|\/support\/(cloud-code|live-query|realtime|sdk|social)\b/

const all = ['src', 'test', 'console/src']
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)))
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.test.ts'))

/**
 * `npm test` runs the default suite, which tests every rule once. `npm run test:full` also runs the files whose names end
 * like this: other versions and languages of clients, campaigns, failures of several servers, all details of the console.
 */
const isFull = (file: string) => file.endsWith('.full.test.ts')
/** Files and folders that are named on the command line run, whichever suite they belong to. */
const namesFullFile = process.argv
  .slice(2)
  .filter((argument) => argument.includes('/') || argument.endsWith('.ts'))
  .some((argument) => !argument.startsWith('-') && all.some((file) => isFull(file) && file.includes(argument)))
const withFull = process.env.HOMEPORT_TEST_SUITE === 'full' || namesFullFile

const tests = all
  .filter((file) => withFull || !isFull(file))
  // .ci/run has run the default suite before.
  .filter((file) => !process.env.HOMEPORT_TEST_REST || isFull(file))
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }))

/** Tests beside their file that neither import `test/support` (but these files) nor have anything injected need no database and no server. */
const unitTests = names(
  ({ file, text }) =>
    !file.startsWith('test/') && !/\/test\/support\/(?!(runs|recorded-log|made-certificate)\.ts)|inject\(/.test(text),
)
/** A browser is several busy processes, whereas a test of a server mostly waits. */
const browserTests = names(({ text }) => /\/support\/(browser|console)\.ts'/.test(text))
/**
 * Clients keep state in their modules: the app, the user, the connection. The default suite has one version of each, which
 * `initSdk` resets and `devicesOf` and `loadLiveSdk` load anew.
 */
const clientTests = names(
  ({ file, text }) =>
    isFull(file) &&
    (/^test\/(apps|clients|sdk)\//.test(file) || USES_CLIENT.test(text)) &&
    !unitTests.includes(file) &&
    !browserTests.includes(file),
)
const serverTests = names(({ file }) => ![...unitTests, ...browserTests, ...clientTests].includes(file))

function names(isMeant: (test: { readonly file: string; readonly text: string }) => boolean): string[] {
  return tests.filter(isMeant).map(({ file }) => file)
}

const processors = availableParallelism()
/** More than there are processors: tests wait for servers, which have processors to themselves then. */
const workers = processors + 2
/** Young objects are collected less often, which saves a tenth of the workers' processor time. Megabytes. */
const execArgv = ['--min-semi-space-size=16', '--max-semi-space-size=64']
/**
 * Files of a worker share the modules that they import, which saves a seventh of the processor time of all tests. They
 * keep no state in modules: each file has its own app, and ends what it starts. Full tests that load clients are isolated.
 */
const shared = { isolate: false }
const withServer = { globalSetup: ['test/support/global-setup.ts'] }

export default defineConfig({
  plugins: process.env.HOMEPORT_TEST_MUTATED_MODULES ? [mutationPlugin(process.env.HOMEPORT_TEST_MUTATED_MODULES)] : [],
  test: {
    setupFiles: [
      'test/support/allow-loopback.ts',
      'test/support/generous-waits.ts',
      ...(process.env.HOMEPORT_TEST_COSTS ? ['test/support/costs.ts'] : []),
    ],
    reporters: ['default', './test/support/closing-line.ts'],
    execArgv,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Generous: a busy machine is slow, and a condition that is never met fails all the same.
    expect: { poll: { timeout: 30_000 } },
    projects: [
      inGroup(0, workers, 'unit', { include: unitTests, ...shared }),
      inGroup(0, workers, 'server', { include: serverTests, ...withServer, ...shared }),
      inGroup(0, workers, 'client', { include: clientTests, ...withServer }),
      // With more than one browser for each processor, browser tests time out. The default suite has two files of them.
      withFull
        ? inGroup(1, Math.max(processors, 2), 'browser', { include: browserTests, ...withServer })
        : inGroup(0, workers, 'browser', { include: browserTests, ...withServer }),
    ],
  },
})

function inGroup(groupOrder: number, maxWorkers: number, name: string, test: object) {
  return { extends: true as const, test: { name, maxWorkers, sequence: { groupOrder }, ...test } }
}
