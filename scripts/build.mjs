// Bundles src/ and adds the files the server reads at run time: SQL migrations, plain JavaScript workers, and the console. dist/
// changes only when everything has succeeded, so a program that starts meanwhile finds a complete one.
import { spawn } from 'node:child_process'
import { cpSync, existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleServer, copyRuntimeFiles } from './bundle-server.mjs'
import { compressFiles } from './compress-files.mjs'
import { CONSOLE_SOURCES, newest } from './sources.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const resolve = createRequire(import.meta.url).resolve

const built = join(root, `dist.new-${process.pid}`)
const old = join(root, `dist.old-${process.pid}`)
const dist = join(root, 'dist')
/** The start time of the last console build; the build is reused while its sources are older. */
const CONSOLE_STAMP = 'console/.built'
try {
  const [, code] = await Promise.all([bundleServer(root, built), buildConsole()])
  process.exitCode = code
  if (process.exitCode === 0) {
    copyRuntimeFiles(root, built)
    writeFileSync(join(built, '.built'), new Date().toISOString())
    if (existsSync(dist)) renameSync(dist, old)
    renameSync(built, dist)
  }
} finally {
  for (const left of [built, old]) rmSync(left, { recursive: true, force: true })
}

async function buildConsole() {
  const place = join(built, 'console')
  if (consoleIsCurrent()) {
    cpSync(join(dist, 'console'), place, { recursive: true, preserveTimestamps: true })
    return 0
  }
  const begun = new Date()
  const vite = join(dirname(resolve('vite/package.json')), 'bin', 'vite.js')
  const code = await run([vite, 'build', join(root, 'console'), '--outDir', place, '--logLevel', 'warn'])
  if (code !== 0) return code
  await compressFiles(place)
  writeFileSync(join(built, CONSOLE_STAMP), begun.toISOString())
  return 0
}

function consoleIsCurrent() {
  const stamp = join(dist, CONSOLE_STAMP)
  if (!existsSync(stamp)) return false
  return statSync(stamp).mtimeMs >= Math.max(...CONSOLE_SOURCES.map((name) => newest(join(root, name))))
}

/** @returns {Promise<number>} the exit code of the program */
function run(parameters) {
  // Tests build for production, too.
  const env = { ...process.env, NODE_ENV: 'production' }
  const child = spawn(process.execPath, parameters, { cwd: root, stdio: 'inherit', env })
  return new Promise((end, fail) => {
    child.once('error', fail)
    child.once('exit', (code) => end(code ?? 1))
  })
}
