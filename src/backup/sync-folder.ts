import { open } from 'node:fs/promises'

/** Syncs the entries of a folder to disk. Windows has no such call; its file systems do this automatically. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
