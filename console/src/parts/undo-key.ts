import { useEffect, useEffectEvent } from 'react'

/** The undo handlers of Ctrl Z or ⌘ Z, the latest last. */
const handlers: (() => void)[] = []

/** Elements excluded from undo: texts have their own, and dialogs have no effect yet. */
const OTHERS = 'textarea, [contenteditable="true"], input:not([type="checkbox"], [type="radio"]), .ant-modal'

addEventListener('keydown', (event) => {
  if (event.key.toLowerCase() !== 'z' || event.shiftKey || event.altKey || !(event.ctrlKey || event.metaKey)) return
  const isInOtherField = event.target instanceof Element && event.target.closest(OTHERS) !== null
  const handler = handlers.at(-1)
  if (!handler || isInOtherField) return
  event.preventDefault()
  handler()
})

/**
 * Registers an undo handler for Ctrl Z, with precedence over earlier ones.
 * @returns removes it
 */
export function listenToUndoKey(handler: () => void): () => void {
  handlers.push(handler)
  return () => {
    const at = handlers.lastIndexOf(handler)
    if (at >= 0) handlers.splice(at, 1)
  }
}

/** Registers an undo handler for Ctrl Z while a component is mounted. */
export function useUndoKey(undo: () => void): void {
  const handler = useEffectEvent(undo)
  useEffect(() => listenToUndoKey(() => handler()), [])
}
