import { App as AntApp } from 'antd'
import { type ReactNode, useEffect, useRef } from 'react'
import './screen.css'

/** Toasts are rendered in the dock, which React renders before the first of them. */
const inDock = { getContainer: () => document.getElementById('toasts')!, stack: false } as const
/** Seconds needed to read a sentence. */
const MESSAGES = { ...inDock, duration: 4, maxCount: 3 } as const
const NOTIFICATIONS = { ...inDock, maxCount: 2 } as const

/**
 * The scrolling page, and a dock for toasts below it, which reduces the height of the page: a floating toast would cover
 * controls. Dialogs and drawers end above the dock too.
 */
export function Screen({ children }: { readonly children: ReactNode }) {
  const dock = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      const height = entry?.borderBoxSize[0]?.blockSize ?? 0
      document.documentElement.style.setProperty('--toasts-height', `${height}px`)
    })
    observer.observe(dock.current!)
    return () => observer.disconnect()
  }, [])
  return (
    <AntApp className="console-app" message={MESSAGES} notification={NOTIFICATIONS}>
      <div className="console-page" data-scroll-restoration-id="page">
        {children}
      </div>
      <div id="toasts" ref={dock} />
    </AntApp>
  )
}
