import { buffer } from 'node:stream/consumers'
import { pack } from 'tar-stream'

/** Returns a tar archive of some files. */
export async function tarOf(files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const archive = pack()
  for (const [name, content] of Object.entries(files)) archive.entry({ name }, content as string)
  archive.finalize()
  return buffer(archive)
}
