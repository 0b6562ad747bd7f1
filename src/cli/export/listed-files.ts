import { lines } from '../../import/forms/lines.ts'
import { type ListedFile, parseListedFile } from '../../import/forms/listed-file.ts'
import { sourceEntries } from '../../import/sources/entries.ts'

/** The files that a list tells of, and the numbers of lines that tell of none. @param path of the list */
export async function* listedFiles(path: string): AsyncGenerator<ListedFile | { readonly badLine: number }> {
  for await (const { reader } of sourceEntries(path, path))
    for await (const { at, text, reason } of lines(reader))
      yield (reason === undefined ? parseListedFile(text) : null) ?? { badLine: at }
}
