import { rolldown } from 'rolldown'

/** What runs by its own name: the program, and its threads. */
const PROGRAMS = ['cli/main', 'import/write/reading-worker']

/**
 * Makes few files of src/: to find and read a thousand takes the program longer than anything else that it does when it
 * starts. What commands and settings alone need stays apart, as it is only loaded when it is asked for. Packages are left
 * where they are. Nothing is checked here: `npm run typecheck` does.
 * @param {string} root of the project
 * @param {string} directory where the files shall be
 * @throws Error that says what of a file cannot be understood or found
 */
export async function bundleServer(root, directory) {
  const bundle = await rolldown({
    cwd: root,
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
