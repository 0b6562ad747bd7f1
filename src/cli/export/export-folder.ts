import { createWriteStream } from 'node:fs'
import { chmod, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type ExportState, STATE_FILE } from '../../export/hosted-form/export-archive.ts'
import { BEGINNING } from '../../export/hosted-form/position.ts'

/** The content of the state file in a folder: the state from the server, and whether the bytes of files are complete. */
export interface FolderState extends ExportState {
  readonly hasFiles?: boolean
}

/** Allowed names of export files. Files with other names in an archive are never written. */
const FILE_NAME =
  /^(?:\w{1,200}_all\.json|\w{1,200}(?:\.\w{1,200}\.relation)?\.\d{1,9}\.jsonl|[a-z]+-[a-z_]+(?:\.\d{1,10}){1,3}\.jsonl)$/

/** The target folder of an export. Only its owner can read it, because it contains session tokens and password hashes. */
export class ExportFolder {
  readonly path: string
  #state: FolderState | null
  readonly #moments: readonly string[]

  private constructor(path: string, state: FolderState | null) {
    this.path = path
    this.#state = state
    this.#moments = state?.moments ?? []
  }

  /**
   * Opens a folder that is new, empty, or contains an export of the same app.
   * @param again whether to remove an existing export
   * @throws Error with one line for the user
   */
  static async open(path: string, appId: string, again: boolean): Promise<ExportFolder> {
    await mkdir(path, { recursive: true, mode: 0o700 })
    // Names of files that are still being written.
    const names = (await readdir(path)).filter((name) => !/^\..*\.part$/.test(name))
    const state = await stateIn(path)
    if (!state && names.length > 0) throw new Error(`${path} is not empty and does not contain a Homeport export`)
    if (state && state.appId !== appId) throw new Error(`${path} contains an export of another app, ${state.appId}`)
    await chmod(path, 0o700)
    if (state && !again) return new ExportFolder(path, state)
    // The state is written first, because the command may be stopped at any time. It names the app, and marks other files as
    // invalid.
    const folder = new ExportFolder(path, null)
    await folder.setState({ homeport: 'export', appId, moments: [], place: BEGINNING })
    if (!state) return folder
    for (const name of names) if (FILE_NAME.test(name)) await rm(join(path, name))
    await rm(join(path, 'files'), { recursive: true, force: true })
    return folder
  }

  get state(): FolderState | null {
    return this.#state
  }

  /** Writes a file of the archive atomically. @throws Error when an export has no file of this name */
  async take(name: string, bytes: AsyncIterable<Buffer>): Promise<number> {
    if (name === STATE_FILE) {
      const pieces: Buffer[] = []
      for await (const piece of bytes) pieces.push(piece)
      const state = JSON.parse(Buffer.concat(pieces).toString()) as ExportState
      await this.setState({ ...state, moments: [...this.#moments, ...state.moments] })
      return 0
    }
    if (!FILE_NAME.test(name)) throw new Error(`the server sent a file with an invalid name: ${JSON.stringify(name)}`)
    let records = 0
    const counted = async function* () {
      for await (const piece of bytes) {
        for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) records++
        yield piece
      }
    }
    await this.write(name, counted())
    return name.endsWith('.jsonl') ? records - 1 : 0
  }

  async setState(state: FolderState): Promise<void> {
    await this.write(STATE_FILE, [Buffer.from(`${JSON.stringify(state, null, 2)}\n`)])
    this.#state = state
  }

  /** Writes a file under a temporary name first. @param name relative to the folder, validated by the caller */
  async write(name: string, bytes: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void> {
    const path = join(this.path, name)
    const temporary = join(dirname(path), `.${name.slice(name.lastIndexOf('/') + 1)}.part`)
    try {
      await pipeline(Readable.from(bytes), createWriteStream(temporary, { mode: 0o600, flush: true }))
      await rename(temporary, path)
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
  }

  /** Returns the size of a file in bytes; null when it does not exist. */
  async sizeOf(name: string): Promise<number | null> {
    return (await stat(join(this.path, name)).catch(() => null))?.size ?? null
  }
}

async function stateIn(path: string): Promise<FolderState | null> {
  const text = await readFile(join(path, STATE_FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new Error(`${join(path, STATE_FILE)} cannot be read: ${error.message}`)
  })
  if (text === null) return null
  try {
    const state = JSON.parse(text) as FolderState
    if (state.homeport === 'export') return state
  } catch {
    // Reported below.
  }
  throw new Error(`${join(path, STATE_FILE)} must be the state file of a Homeport export`)
}
