import { useEffect, useEffectEvent } from 'react'

/** What Ctrl Z or ⌘ Z takes back, the latest last. */
const handlers: (() => void)[] = []

/** Texts have a step back of their own, and what is asked in a dialog is not done yet. */
const OTHERS = 'textarea, [contenteditable="true"], input:not([type="checkbox"], [type="radio"]), .ant-modal'

addEventListener('keydown', (event) => {
  if (event.key.toLowerCase() !== 'z' || event.shiftKey || event.altKey || !(event.ctrlKey || event.metaKey)) return
  const isElsewhere = event.target instanceof Element && event.target.closest(OTHERS) !== null
  const handler = handlers.at(-1)
  if (!handler || isElsewhere) return
  event.preventDefault()
  handler()
})

/** Lets Ctrl Z take something back, before what could be taken back until now. @returns ends that */
export function listenToUndoKey(handler: () => void): () => void {
  handlers.push(handler)
  return () => {
    const at = handlers.lastIndexOf(handler)
    if (at >= 0) handlers.splice(at, 1)
  }
}

/** Lets Ctrl Z take something back as long as a component is shown. */
export function useUndoKey(undo: () => void): void {
  const handler = useEffectEvent(undo)
  useEffect(() => listenToUndoKey(() => handler()), [])
}
