import { useSyncExternalStore } from 'react'
import { csrfHeaders, Problem, path, queryString } from '../../api/request.ts'
import { filesOf, type Move } from './moving-in-queries.ts'

/** Bytes per request, which are lost when the connection breaks. */
const PIECE = 8 * 1024 * 1024

/** The progress of uploading the files of a move. */
export interface Upload {
  /** Bytes */
  readonly sent: number
  readonly total: number
  readonly isRunning: boolean
  readonly error: Error | null
}

const uploads = new Map<string, Upload>()
const listeners = new Set<() => void>()

/** Returns the upload of a move started in this tab; it continues on other pages. */
export function useUpload(moveId: string): Upload | undefined {
  return useSyncExternalStore(listen, () => uploads.get(moveId))
}

/**
 * Uploads the missing parts of a move's files.
 * @param files the files of the move, in any order
 */
export async function upload(appId: string, move: Move, files: readonly File[]): Promise<void> {
  if (uploads.get(move.id)?.isRunning) return
  const wanted = filesOf(move.source)
  const total = wanted.reduce((sum, { size }) => sum + size, 0)
  const received = [...(move.received ?? [])]
  const publish = (more: Partial<Upload> = {}) =>
    set(move.id, {
      sent: received.reduce((sum, bytes) => sum + bytes, 0),
      total,
      isRunning: true,
      error: null,
      ...more,
    })
  publish()
  try {
    for (const [n, { name, size }] of wanted.entries()) {
      const file = files.find((one) => one.name === name && one.size === size)
      if (!file) continue
      for (let offset = received[n] ?? 0; offset < size; ) {
        offset = await sendPiece(appId, move.id, name, offset, file.slice(offset, offset + PIECE))
        received[n] = offset
        publish()
      }
    }
    publish({ isRunning: false })
  } catch (error) {
    publish({ isRunning: false, error: error instanceof Error ? error : new Error(String(error)) })
  }
}

/**
 * @returns the number of received bytes of the file.
 * @throws Problem
 */
async function sendPiece(appId: string, moveId: string, name: string, offset: number, piece: Blob): Promise<number> {
  const url = path`/admin/apps/${appId}/moves/${moveId}/files` + queryString({ name, offset: String(offset) })
  const response = await fetch(url, {
    method: 'PUT',
    headers: { ...csrfHeaders(), 'content-type': 'application/octet-stream' },
    credentials: 'same-origin',
    body: piece,
  }).catch((error: Error) => {
    throw new Problem(0, null, error.message)
  })
  const answer = (await response.json()) as { received?: number; error?: string; code?: number }
  if (!response.ok || answer.received === undefined)
    throw new Problem(response.status, answer.code ?? null, answer.error ?? '')
  return answer.received
}

function set(moveId: string, state: Upload): void {
  uploads.set(moveId, state)
  for (const listener of listeners) listener()
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
