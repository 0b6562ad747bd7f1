import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'

/**
 * Removes what may be much, request by request, and tells how much is gone. It can be stopped between two of them; what is
 * gone stays gone.
 * @param remove sends a request; `next` in its answer is where the next one begins, null when everything is removed
 */
export function useRemoval(
  remove: (after: string | undefined) => Promise<{ readonly removed: number; readonly next: string | null }>,
  done: () => Promise<void> | void,
) {
  const [removed, setRemoved] = useState(0)
  const stopped = useRef(false)
  const removal = useMutation({
    /** @returns whether all is gone; not where it was stopped */
    mutationFn: async (): Promise<boolean> => {
      stopped.current = false
      setRemoved(0)
      let after: string | undefined
      for (;;) {
        const page = await remove(after)
        setRemoved((before) => before + page.removed)
        if (page.next === null || stopped.current) return page.next === null
        after = page.next
      }
    },
    onSettled: done,
  })
  return {
    removal,
    removed,
    stop: () => {
      stopped.current = true
    },
  }
}
