import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'

/**
 * Removes large amounts of data request by request, and reports progress. It can be stopped between two requests; removed data
 * stays removed.
 * @param remove sends a request; `next` in its response is the position of the next one, null when everything is removed
 */
export function useRemoval(
  remove: (after: string | undefined) => Promise<{ readonly removed: number; readonly next: string | null }>,
  done: () => Promise<void> | void,
) {
  const [removed, setRemoved] = useState(0)
  const stopped = useRef(false)
  const removal = useMutation({
    /** @returns whether everything is removed; false when stopped */
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
