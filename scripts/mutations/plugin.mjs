import { readFileSync } from 'node:fs'

/**
 * Replaces sources by modules with mutants, for the bundler of the server and for tests that import sources.
 * @param {string} modulesFile JSON file: text by absolute path
 */
export function mutationPlugin(modulesFile) {
  const modules = JSON.parse(readFileSync(modulesFile, 'utf8'))
  return {
    name: 'homeport:mutations',
    enforce: 'pre',
    load(id) {
      const code = modules[id.split('?')[0].replaceAll('\\', '/')]
      return code === undefined ? null : { code, moduleType: 'ts' }
    },
  }
}
