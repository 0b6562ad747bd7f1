import { randomBytes } from 'node:crypto'
import { errors } from '../../errors.ts'
import type { StoredBlob } from '../blobs/blob-store.ts'
import type { Files } from '../files.ts'
import { joinParts, MAX_PARTS, type Part, partsOf, receivePart, type StoredPart } from './parts.ts'
import type { Incoming } from './receive-upload.ts'
import type { Upload } from './upload-table.ts'

/** Bytes of a block. */
const BLOCK = 4 * 1024 * 1024

/** A piece of a block that was taken (protocol/files, Upload by provider, v1 blocks). */
export interface TakenPiece extends StoredPart {
  /** Says which block it is of, and how far that has come. */
  readonly context: string
  /** Bytes of the block that have come. */
  readonly offset: number
}

/** Takes the first piece of a new block. @param size bytes that the block is going to have */
export async function beginBlock(files: Files, upload: Upload, size: number, incoming: Incoming): Promise<TakenPiece> {
  if (!Number.isInteger(size) || size < 1 || size > BLOCK) throw errors.badArgument(`A block has 1 to ${BLOCK} bytes.`)
  return takePiece(files, upload, randomBytes(12).toString('hex'), 0, incoming)
}

/** Takes the next piece of a block. @param context what the piece before was answered with */
export async function continueBlock(
  files: Files,
  upload: Upload,
  context: string,
  offset: number,
  incoming: Incoming,
): Promise<TakenPiece> {
  const { block, end } = readContext(context)
  if (offset !== end) throw errors.badArgument(`The next piece of this block begins at ${end}, not at ${offset}.`)
  return takePiece(files, upload, block, offset, incoming)
}

async function takePiece(
  files: Files,
  upload: Upload,
  block: string,
  start: number,
  incoming: Incoming,
): Promise<TakenPiece> {
  if (incoming.length !== null && start + incoming.length > BLOCK) throw errors.payloadTooLarge()
  const stored = await receivePart(files, upload, block, start, incoming)
  const offset = start + stored.size
  return { ...stored, context: `${block}.${offset}`, offset }
}

function readContext(context: string): { block: string; end: number } {
  const found = /^([0-9a-f]{24})\.(\d{1,8})$/.exec(context)
  if (!found) throw errors.badArgument('The context of a block is none that this server has given.')
  return { block: found[1]!, end: Number(found[2]) }
}

/**
 * Makes the file of its blocks.
 * @param size bytes of the file, as the client says it
 * @param contexts of the last piece of each block, in their order, each block once
 * @throws ApiError 1, 403, 413, 503
 */
export async function completeBlocks(
  files: Files,
  upload: Upload,
  size: number,
  contexts: readonly string[],
  incoming: Pick<Incoming, 'signal'>,
): Promise<StoredBlob> {
  if (contexts.length > MAX_PARTS) throw errors.payloadTooLarge()
  const blocks = new Map<string, Part[]>()
  for (const piece of await partsOf(files, upload)) {
    const others = blocks.get(piece.part)
    if (others) others.push(piece)
    else blocks.set(piece.part, [piece])
  }
  const pieces = contexts.flatMap((context) => {
    const { block, end } = readContext(context)
    const there = blocks.get(block) ?? []
    // Once only: a few pieces, named often enough, would be more than memory holds.
    blocks.delete(block)
    return piecesUpTo(there, end)
  })
  const total = pieces.reduce((sum, piece) => sum + piece.size, 0)
  if (total !== size) throw errors.badArgument(`The blocks have ${total} bytes together, not ${size}.`)
  return joinParts(files, upload, pieces, incoming)
}

/** @throws ApiError 1 where the pieces of a block leave a gap */
function piecesUpTo(pieces: readonly Part[], end: number): Part[] {
  const taken: Part[] = []
  let at = 0
  for (const piece of pieces) {
    if (at === end) break
    if (piece.start !== at) break
    taken.push(piece)
    at += piece.size
  }
  if (at !== end) throw errors.badArgument('A block is not there up to where its context says.')
  return taken
}
