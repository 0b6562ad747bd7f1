import { createHash } from 'node:crypto'
import { lstat, open, readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { notice } from '../../notices/notice.ts'
import { NoticedError, noticeOf } from '../../notices/noticed-error.ts'

/** A file to import, identified by its digest. */
export interface SourceFile {
  readonly path: string
  /** The name relative to the path that the user specified, for people. */
  readonly name: string
  /** bytes */
  readonly size: number
  /** Digest of its name, size and beginning. */
  readonly digest: string
  /** Whether it is a symbolic link in a folder, which is not followed. */
  readonly isLink?: boolean
}

/** Bytes of the beginning that are part of the digest. */
const BEGINNING = 1024 * 1024
const MAX_FILES = 100_000
const MAX_DEPTH = 10

/**
 * Returns the files at a path: the file itself, or all files below the folder, sorted by name. Symbolic links in folders are
 * included but not followed, and names that begin with a dot are skipped.
 * @throws Error with one line for the user
 */
export async function filesAt(path: string): Promise<SourceFile[]> {
  const found: FoundFile[] = []
  if ((await statOf(path)).isDirectory()) await collect(path, basename(path), 0, found)
  else found.push({ path, name: basename(path) })
  const files: SourceFile[] = []
  for (const one of found)
    files.push(one.isLink ? { ...one, size: 0, digest: '' } : await described(one.path, one.name))
  return files
}

interface FoundFile {
  readonly path: string
  readonly name: string
  readonly isLink?: boolean
}

async function collect(folder: string, name: string, depth: number, found: FoundFile[]) {
  if (depth > MAX_DEPTH) throw new NoticedError(notice('foldersNestedTooDeep', { folder, maximum: MAX_DEPTH }))
  const children = (await readdir(folder)).filter((one) => !one.startsWith('.')).sort()
  const isExport = children.includes('export.json')
  for (const child of children) {
    // This folder has the bytes of files; a list next to it names them (docs/moving-in-reference.md, Files of an export).
    if (isExport && child === 'files') continue
    const path = join(folder, child)
    const stats = await lstat(path)
    if (stats.isDirectory()) await collect(path, `${name}/${child}`, depth + 1, found)
    else if (stats.isFile()) found.push({ path, name: `${name}/${child}` })
    else if (stats.isSymbolicLink()) found.push({ path, name: `${name}/${child}`, isLink: true })
    if (found.length > MAX_FILES) throw new NoticedError(notice('folderTooManyFiles', { folder, maximum: MAX_FILES }))
  }
}

async function described(path: string, name: string): Promise<SourceFile> {
  const file = await open(path).catch((error: Error) => {
    throw new NoticedError(notice('cannotRead', { file: path, reason: noticeOf(error) }))
  })
  try {
    const { size } = await file.stat()
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(Math.min(BEGINNING, size)),
      0,
      Math.min(BEGINNING, size),
      0,
    )
    const digest = createHash('sha256').update(`${name}\n${size}\n`).update(buffer.subarray(0, bytesRead))
    return { path, name, size, digest: digest.digest('hex') }
  } finally {
    await file.close()
  }
}

async function statOf(path: string) {
  return stat(path).catch((error: Error) => {
    throw new NoticedError(notice('cannotRead', { file: path, reason: noticeOf(error) }))
  })
}
