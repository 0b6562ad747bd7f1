/** Whether the source itself runs, as under the tests and `npm run dev`. */
export const IS_SOURCE = import.meta.url.endsWith('.ts')

/**
 * Where a file of the program lies that is not imported: SQL, the console, what runs in a thread or a process of its own.
 * The build puts such files where they are in `src`, and this module beside all the code, wherever that came from.
 * @param path below `src` and `dist`
 */
export function ownFile(path: string): URL {
  return new URL(path, import.meta.url)
}
