// Compiles src/ into dist/ and puts the SQL migrations beside the code that applies them.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const compilerPackage = createRequire(import.meta.url).resolve('typescript/package.json')
const compiler = join(dirname(compilerPackage), 'bin', 'tsc')

rmSync(join(root, 'dist'), { recursive: true, force: true })
const compiled = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' })
if (compiled.status !== 0) process.exit(compiled.status ?? 1)
for (const folder of ['migrations', 'app-migrations']) {
  mkdirSync(join(root, 'dist/database', folder), { recursive: true })
  cpSync(join(root, 'src/database', folder), join(root, 'dist/database', folder), { recursive: true })
}
writeFileSync(join(root, 'dist/.built'), new Date().toISOString())
