/** Whether the program runs from its TypeScript source, as in the tests and `npm run dev`. */
export const IS_SOURCE = import.meta.url.endsWith('.ts')

/**
 * Returns the URL of a file of the program that is not imported: SQL, the console, code of threads and child processes. The build
 * keeps the path of such files relative to `src`, and places this module at the root of the output.
 * @param path below `src` and `dist`
 */
export function ownFile(path: string): URL {
  return new URL(path, import.meta.url)
}
