// Runs the full test suite. Usage: npm run test:full [-- --rest] [arguments of vitest run …]
//   --rest leaves out the tests of `npm test`, for .ci/run, which has run them before
// Dependencies of tests besides npm packages are fetched first, concurrently: most of that time is spent waiting for registries.
import { spawn, spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { argv, env, execPath, platform } from 'node:process'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const given = argv.slice(2)
const rest = given.includes('--rest')

/** The preparations of tests: a command, and the program without which the tests are skipped anyway. */
const PREPARATIONS = [
  { what: 'applications', needs: 'npm', command: [execPath, join(root, 'scripts/install-test-apps.mjs')] },
  ...['test/clients/java', 'test/support/search-server'].map((folder) => ({
    what: `Java packages of ${folder}`,
    needs: 'mvn',
    command: ['mvn', '--batch-mode', '--quiet', '--file', `${folder}/pom.xml`, 'dependency:resolve'],
  })),
  ...['test/clients/go', 'test/support/s3-server'].map((folder) => ({
    what: `Go modules of ${folder}`,
    needs: 'go',
    command: ['go', '-C', folder, 'build', '-buildvcs=false', '-o', platform === 'win32' ? 'NUL' : '/dev/null', '.'],
  })),
]

const start = performance.now()
await Promise.all(PREPARATIONS.filter(({ needs }) => isInstalled(needs)).map(prepare))
console.log(`Prepared the full suite in ${Math.round((performance.now() - start) / 1000)} s.`)
process.exitCode = await run([
  execPath,
  join(root, 'node_modules/vitest/vitest.mjs'),
  'run',
  ...given.filter((one) => one !== '--rest'),
])

/**
 * Runs a preparation. A failure is printed without ending the run: the affected tests fail with their own message, or are
 * skipped.
 */
async function prepare({ what, command }) {
  const code = await run(command)
  if (code !== 0) console.warn(`Not prepared: ${what}.`)
}

function isInstalled(program) {
  return (
    spawnSync(program, [program === 'go' ? 'version' : '--version'], { stdio: 'ignore', shell: platform === 'win32' })
      .status === 0
  )
}

/** @returns {Promise<number>} the exit code */
function run([program, ...args]) {
  const suite = { HOMEPORT_TEST_SUITE: 'full', ...(rest && { HOMEPORT_TEST_REST: '1' }) }
  const child = spawn(program, args, { cwd: root, stdio: 'inherit', env: { ...env, ...suite } })
  return new Promise((resolve) => {
    child.once('error', () => resolve(1))
    child.once('exit', (code) => resolve(code ?? 1))
  })
}
