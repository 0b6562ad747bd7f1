import type { Log } from '../../src/log.ts'

/** What was logged: the fields of each line, with those of the logs above, and its text. */
export type Line = readonly [fields: Record<string, unknown>, text: string]

/** A log whose lines a test looks at; those of its children are among them. */
export function recordedLog(lines: Line[] = [], bound: object = {}): { readonly log: Log; readonly lines: Line[] } {
  const note = (fields: object, text: string) => void lines.push([{ ...bound, ...fields }, text])
  const child = (fields: object) => recordedLog(lines, { ...bound, ...fields }).log
  return { log: { debug: note, info: note, warn: note, error: note, child, isLevelEnabled: () => true }, lines }
}
