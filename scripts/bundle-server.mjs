import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

/** Separate entry points: the program, and its threads. */
const PROGRAMS = ['cli/main', 'import/write/reading-worker']
/** Files of src/ that the server reads at run time. */
const RUNTIME_FILES = ['database/migrations', 'database/app-migrations', 'accounts/password-worker.mjs']

/**
 * Bundles src/ into few files: loading a thousand files would dominate the start time of the program. Code of commands and
 * settings stays separate and is loaded on demand. Packages are external. Types are checked by `npm run typecheck`.
 * @param {string} root of the project
 * @param {string} directory of the output
 * @param {import('rolldown').RolldownPluginOption[]} plugins of the bundler
 * @throws Error that names the unresolvable or invalid part of a file
 */
export async function bundleServer(root, directory, plugins = []) {
  const bundle = await rolldown({
    cwd: root,
    plugins,
    input: Object.fromEntries(PROGRAMS.map((name) => [name, `./src/${name}.ts`])),
    platform: 'node',
    external: (id) => !/^[./]|^[A-Z]:/i.test(id),
    onLog(level, log, handle) {
      handle(level === 'warn' ? 'error' : level, log)
    },
  })
  try {
    await bundle.write({
      dir: directory,
      format: 'esm',
      sourcemap: true,
      entryFileNames: '[name].js',
      // The module that locates other files must be at the root of the bundle.
      codeSplitting: { groups: [{ name: 'own-files', test: /src[\\/]own-files\.ts$/ }] },
    })
  } finally {
    await bundle.close()
  }
}

/**
 * Copies the files the bundled server reads at run time, except the console.
 * @param {string} root of the project
 * @param {string} directory of the bundle
 */
export function copyRuntimeFiles(root, directory) {
  for (const path of RUNTIME_FILES) cpSync(join(root, 'src', path), join(directory, path), { recursive: true })
}
