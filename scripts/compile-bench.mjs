// Compiles bench/, or another folder with programs, into a cache that is neither committed nor published, for a run on a current
// build.
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ensureBuilt } from './ensure-built.mjs'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const compilerPackage = createRequire(import.meta.url).resolve('typescript/package.json')
const compiler = join(dirname(compilerPackage), 'bin', 'tsc')

/**
 * Builds outdated files and loads a compiled module.
 * @param {string} path of the module in bench/, with the extension .js
 */
export function loadBench(path) {
  return loadCompiled('bench', 'homeport-bench', path)
}

/**
 * Loads a module of another folder with programs, whose tsconfig.json names the cache.
 * @param {string} folder path of the folder
 * @param {string} cache name of its cache folder
 * @param {string} path of the module in the folder, with the extension .js
 */
export function loadCompiled(folder, cache, path) {
  ensureBuilt()
  const output = join(root, 'node_modules/.cache', cache)
  mkdirSync(output, { recursive: true })
  // Inside node_modules the `"type": "module"` of the project does not apply.
  writeFileSync(join(output, 'package.json'), '{ "type": "module" }\n')
  const compiled = spawnSync(process.execPath, [compiler, '-p', join(root, folder)], { stdio: 'inherit' })
  if (compiled.status !== 0) process.exit(compiled.status ?? 1)
  return import(pathToFileURL(join(output, folder, path)).href)
}
