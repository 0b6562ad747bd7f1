import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

/** What runs by its own name: the program, and its threads. */
const PROGRAMS = ['cli/main', 'import/write/reading-worker']
/** Files of src/ that the server reads at run time. */
const RUNTIME_FILES = ['database/migrations', 'database/app-migrations', 'accounts/password-worker.mjs']

/**
 * Makes few files of src/: to find and read a thousand takes the program longer than anything else that it does when it
 * starts. What commands and settings alone need stays apart, as it is only loaded when it is asked for. Packages are left
 * where they are. Nothing is checked here: `npm run typecheck` does.
 * @param {string} root of the project
 * @param {string} directory where the files shall be
 * @param {import('rolldown').RolldownPluginOption[]} plugins of the bundler
 * @throws Error that says what of a file cannot be understood or found
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
      // What tells where everything lies must itself lie beside everything.
      codeSplitting: { groups: [{ name: 'own-files', test: /src[\\/]own-files\.ts$/ }] },
    })
  } finally {
    await bundle.close()
  }
}

/**
 * Copies what the bundled server reads at run time, but for the console.
 * @param {string} root of the project
 * @param {string} directory of the bundle
 */
export function copyRuntimeFiles(root, directory) {
  for (const path of RUNTIME_FILES) cpSync(join(root, 'src', path), join(directory, path), { recursive: true })
}
