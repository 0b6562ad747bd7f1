import { type Html, html } from './html.ts'

/** Lines in a field of 24 by 24, in drawing order. */
const LINES = {
  lock: 'M7 10.5h10a2 2 0 0 1 2 2V18a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2v-5.5a2 2 0 0 1 2-2zM8 10.5V8a4 4 0 0 1 8 0v2.5M12 14.5V16',
  done: 'M4.5 12.5l5 5 10-11',
  expired: 'M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17zM12 7.5V12l3 2',
} as const

/** Returns an icon that repeats the meaning of the heading, and is therefore hidden from screen readers. */
export function icon(name: keyof typeof LINES): Html {
  return html`<svg class="icon ${name}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false"><path d="${LINES[name]}"/></svg>`
}
