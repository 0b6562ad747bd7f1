import { lines } from '../../import/forms/lines.ts'
import { type ListedFile, parseListedFile } from '../../import/forms/listed-file.ts'
import { sourceEntries } from '../../import/sources/entries.ts'

/** Yields the files in a list, and the numbers of invalid lines. @param path the path of the list */
export async function* listedFiles(path: string): AsyncGenerator<ListedFile | { readonly badLine: number }> {
  for await (const { reader } of sourceEntries(path, path))
    for await (const { at, text, reason } of lines(reader))
      yield (reason === undefined ? parseListedFile(text) : null) ?? { badLine: at }
}
