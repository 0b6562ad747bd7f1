import type { ReactNode } from 'react'

/** Holds what is wider than a narrow screen: it scrolls in itself, by the keyboard too. @param label what it is */
export function Wide({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without a stop here the keyboard could not scroll it (WCAG 2.1.1)
    <section aria-label={label} tabIndex={0} style={{ overflowX: 'auto', minWidth: 0 }}>
      {children}
    </section>
  )
}
