import { randomBytes } from 'node:crypto'
import { errors } from '../../errors.ts'
import type { StoredBlob } from '../blobs/blob-store.ts'
import type { Files } from '../files.ts'
import { completeOnce, joinParts, MAX_PARTS, type Part, partsOf, receivePart, type StoredPart } from './parts.ts'
import type { Incoming } from './receive-upload.ts'
import type { Upload } from './upload-table.ts'

/** Bytes of a block. */
const BLOCK = 4 * 1024 * 1024

/** A stored piece of a block (protocol/files, Upload by provider, v1 blocks). */
export interface TakenPiece extends StoredPart {
  /** Identifies the block and how many of its bytes have arrived. */
  readonly context: string
  /** Bytes of the block that have arrived. */
  readonly offset: number
}

/** Stores the first piece of a new block. @param size announced bytes of the block */
export async function beginBlock(files: Files, upload: Upload, size: number, incoming: Incoming): Promise<TakenPiece> {
  if (!Number.isInteger(size) || size < 1 || size > BLOCK)
    throw errors.badArgument(`A block must have 1 to ${BLOCK} bytes.`)
  return takePiece(files, upload, randomBytes(12).toString('hex'), 0, incoming)
}

/** Stores the next piece of a block. @param context from the response to the previous piece */
export async function continueBlock(
  files: Files,
  upload: Upload,
  context: string,
  offset: number,
  incoming: Incoming,
): Promise<TakenPiece> {
  const { block, end } = readContext(context)
  if (offset !== end) throw errors.badArgument(`The next chunk of this block must begin at ${end}, not at ${offset}.`)
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
  if (!found) throw errors.badArgument('The context of the block was not issued by this server.')
  return { block: found[1]!, end: Number(found[2]) }
}

/**
 * Creates the file from its blocks.
 * @param size bytes of the file according to the client
 * @param contexts of the last piece of each block, in order, each block once
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
  return completeOnce(files, upload, async () => {
    const blocks = new Map<string, Part[]>()
    for (const piece of await partsOf(files, upload)) {
      const others = blocks.get(piece.part)
      if (others) others.push(piece)
      else blocks.set(piece.part, [piece])
    }
    const pieces = contexts.flatMap((context) => {
      const { block, end } = readContext(context)
      const there = blocks.get(block) ?? []
      // Each block counts once: repeating a few pieces often enough would exhaust the memory.
      blocks.delete(block)
      return piecesUpTo(there, end)
    })
    const total = pieces.reduce((sum, piece) => sum + piece.size, 0)
    if (total !== size) throw errors.badArgument(`The blocks have ${total} bytes in total, not ${size}.`)
    return joinParts(files, upload, pieces, incoming)
  })
}

/** Returns the pieces of a block up to `end`. @throws ApiError 1 when they leave a gap */
function piecesUpTo(pieces: readonly Part[], end: number): Part[] {
  const taken: Part[] = []
  let at = 0
  for (const piece of pieces) {
    if (at === end) break
    if (piece.start !== at) break
    taken.push(piece)
    at += piece.size
  }
  if (at !== end) throw errors.badArgument('Fewer bytes of the block are stored than its context says.')
  return taken
}
