// `npm run smoke` installs Homeport from its packed tarball on a bare Debian in a folder, which it boots with systemd-nspawn, and
// uses it as an administrator and as clients do. It needs root, debootstrap and systemd-nspawn, and says so if they are missing.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import * as bareDebian from './smoke/bare-debian.mjs'
import * as installAsUser from './smoke/install-as-user.mjs'
import * as installService from './smoke/install-service.mjs'
import * as pack from './smoke/pack.mjs'
import * as proxies from './smoke/proxies.mjs'
import * as requests from './smoke/requests.mjs'
import * as restarts from './smoke/restarts.mjs'
import * as uninstall from './smoke/uninstall.mjs'

/**
 * The steps, in order. Each exports its title and a function `run(context)`, which throws when something is wrong; an error with
 * `skips` says that this machine cannot run the test. Steps share one context: `directory`, an empty one for their files;
 * `pass(line)`, which reports what holds; `atEnd(stop)`; and the values that earlier steps have put there, which each step lists
 * above its function.
 */
const STEPS = [pack, bareDebian, installAsUser, installService, requests, restarts, proxies, uninstall]

const HELP = `Usage: npm run smoke -- [options]

  --keep           keep the folder, and print its path
  --suite NAME     Debian release (default: that of this machine, else trixie)
  --only NAMES     only these steps after the first two, separated by commas: ${'install-as-user,install-service,…'}
  --cache FOLDER   keep the bare Debian in this folder for the next run
  --help`

const { values } = parseArgs({
  options: {
    keep: { type: 'boolean', default: false },
    suite: { type: 'string' },
    cache: { type: 'string' },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write(`${HELP}\n`)
  process.exit(0)
}

const missing = missingParts()
if (missing.length > 0) {
  process.stderr.write(`Smoke test skipped: it needs ${missing.join(', ')}.\n`)
  process.exit(0)
}

const ends = []
// The machine must not outlive this process.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => cleanUp().finally(() => process.exit(1)))
const context = {
  directory: mkdtempSync(join(tmpdir(), 'homeport-smoke-')),
  suite: values.suite,
  cache: values.cache,
  pass: (line) => process.stdout.write(`   ${line}\n`),
  atEnd: (stop) => ends.push(stop),
}
let passed = 0
let failed = 0
const started = Date.now()
try {
  for (const step of chosen(values.only)) {
    const begun = Date.now()
    process.stdout.write(`== ${step.title}\n`)
    try {
      await step.run(context)
      passed++
    } catch (error) {
      if (error.skips) {
        process.stderr.write(`Smoke test skipped: ${error.message}\n`)
        break
      }
      failed++
      process.stderr.write(`FAILED: ${step.title}\n${error.stack}\n${context.journal?.() ?? ''}`)
      // Later steps build on this one.
      break
    } finally {
      process.stdout.write(`   ${((Date.now() - begun) / 1000).toFixed(1)} s\n`)
    }
  }
} finally {
  await cleanUp()
}
process.stdout.write(`${((Date.now() - started) / 1000).toFixed(0)} s in all\n${passed} passed, ${failed} failed\n`)
process.exitCode = failed > 0 ? 1 : 0

async function cleanUp() {
  for (const stop of ends.reverse()) await stop()
  if (values.keep) process.stdout.write(`Kept: ${context.directory}\n`)
  else rmSync(context.directory, { recursive: true, force: true, maxRetries: 5 })
}

function chosen(only) {
  if (only === undefined) return STEPS
  const names = only.split(',')
  const unknown = names.filter((name) => !STEPS.some((step) => step.name === name))
  if (unknown.length > 0) {
    process.stderr.write(
      `--only must name steps (${STEPS.map((step) => step.name).join(', ')}), not ${unknown.join(', ')}.\n`,
    )
    process.exit(2)
  }
  return STEPS.filter((step, index) => index < 2 || names.includes(step.name))
}

function missingParts() {
  const isInstalled = (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
  return [
    ...(process.platform === 'linux' ? [] : ['Linux']),
    ...(process.getuid?.() === 0 ? [] : ['root']),
    ...['debootstrap', 'systemd-nspawn', 'nsenter', 'openssl', 'nginx', 'caddy'].filter(
      (program) => !isInstalled(program),
    ),
  ]
}
