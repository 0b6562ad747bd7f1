// Compiles src/ and puts beside the code what it reads at run time: SQL migrations, and workers that are plain
// JavaScript. dist/ changes only when all of that has succeeded, so a program that starts meanwhile finds a whole one.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const compilerPackage = createRequire(import.meta.url).resolve('typescript/package.json')
const compiler = join(dirname(compilerPackage), 'bin', 'tsc')

const built = join(root, `dist.new-${process.pid}`)
const old = join(root, `dist.old-${process.pid}`)
const dist = join(root, 'dist')
try {
  process.exitCode = compile()
  if (process.exitCode === 0) {
    for (const path of ['database/migrations', 'database/app-migrations', 'accounts/password-worker.mjs']) {
      cpSync(join(root, 'src', path), join(built, path), { recursive: true })
    }
    writeFileSync(join(built, '.built'), new Date().toISOString())
    if (existsSync(dist)) renameSync(dist, old)
    renameSync(built, dist)
  }
} finally {
  for (const left of [built, old]) rmSync(left, { recursive: true, force: true })
}

function compile() {
  const settings = ['-p', join(root, 'tsconfig.build.json'), '--outDir', built]
  return spawnSync(process.execPath, [compiler, ...settings], { stdio: 'inherit' }).status ?? 1
}
