import { useCallback, useRef, useState } from 'react'
import { queryClient } from '../../api/query-client.ts'
import { filesKey } from './file-queries.ts'
import { uploadFile } from './upload-file.ts'

export interface Upload {
  readonly id: number
  readonly name: string
  readonly bytes: number
  /** The share of sent bytes, 0 to 1 */
  readonly share: number
  readonly state: 'waiting' | 'sending' | 'done' | 'failed' | 'cancelled'
  readonly error?: Error
}

export interface Uploads {
  readonly list: readonly Upload[]
  add(files: Iterable<File>): void
  cancel(id: number): void
  /** Removes finished uploads from the list. */
  clear(): void
}

const AT_ONCE = 3

/** Manages uploads of files: some run concurrently, the others wait. */
export function useUploads(appId: string): Uploads {
  const [list, setList] = useState<readonly Upload[]>([])
  const waiting = useRef<{ readonly id: number; readonly file: File; readonly abort: AbortController }[]>([])
  const aborts = useRef(new Map<number, AbortController>())
  const running = useRef(0)
  const last = useRef(0)

  const change = useCallback((id: number, changed: Partial<Upload>) => {
    setList((before) => before.map((upload) => (upload.id === id ? { ...upload, ...changed } : upload)))
  }, [])

  const work = useCallback(async () => {
    if (running.current >= AT_ONCE) return
    running.current++
    for (let next = waiting.current.shift(); next; next = waiting.current.shift()) {
      const { id, file, abort } = next
      if (abort.signal.aborted) continue
      change(id, { state: 'sending' })
      try {
        await uploadFile(appId, file, (share) => change(id, { share }), abort.signal)
        change(id, { state: 'done', share: 1 })
        await queryClient.invalidateQueries({ queryKey: filesKey(appId) })
      } catch (error) {
        change(id, abort.signal.aborted ? { state: 'cancelled' } : { state: 'failed', error: error as Error })
      }
      aborts.current.delete(id)
    }
    running.current--
  }, [appId, change])

  const add = useCallback(
    (files: Iterable<File>) => {
      for (const file of files) {
        const id = ++last.current
        const abort = new AbortController()
        waiting.current.push({ id, file, abort })
        aborts.current.set(id, abort)
        setList((before) => [{ id, name: file.name, bytes: file.size, share: 0, state: 'waiting' }, ...before])
        void work()
      }
    },
    [work],
  )

  const cancel = useCallback(
    (id: number) => {
      aborts.current.get(id)?.abort()
      change(id, { state: 'cancelled' })
    },
    [change],
  )

  const clear = useCallback(
    () => setList((before) => before.filter(({ state }) => state === 'waiting' || state === 'sending')),
    [],
  )

  return { list, add, cancel, clear }
}
