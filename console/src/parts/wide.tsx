import type { ReactNode } from 'react'

/**
 * Contains content wider than a narrow screen, with its own scrolling, also by keyboard.
 * @param label a description of the content
 */
export function Wide({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without a stop here the keyboard could not scroll it (WCAG 2.1.1)
    <section aria-label={label} tabIndex={0} style={{ overflowX: 'auto', minWidth: 0 }}>
      {children}
    </section>
  )
}
