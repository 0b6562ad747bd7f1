// Installs the applications that tests run (test/apps/packages), when they are missing or differ from the lock file. `npm run
// test:full` runs it. They are not devDependencies, because `npm ci` would take three times as long.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'

const folder = join(dirname(fileURLToPath(import.meta.url)), '../test/apps/packages')
const stamp = join(folder, 'node_modules/.installed')

/** @returns {boolean} whether the installed packages match the lock file exactly */
export function testAppsAreInstalled() {
  try {
    return readFileSync(stamp, 'utf8') === readFileSync(join(folder, 'package-lock.json'), 'utf8')
  } catch {
    return false
  }
}

function install() {
  console.log('Installing the applications that the tests run …')
  // None of them needs the output of its install scripts; Waline would build SQLite.
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const { status } = spawnSync('npm', ['ci', ...options], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  })
  if (status === 0) writeFileSync(stamp, readFileSync(join(folder, 'package-lock.json')))
  else console.warn('They could not be installed. The tests that need them are skipped.')
}

if (argv[1] === fileURLToPath(import.meta.url) && !testAppsAreInstalled()) install()
