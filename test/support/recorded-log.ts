import type { Log } from '../../src/log.ts'

/** A log line: its fields, including those of parent logs, and its text. */
export type Line = readonly [fields: Record<string, unknown>, text: string]

/** Returns a log that records its lines, including those of its children. */
export function recordedLog(lines: Line[] = [], bound: object = {}): { readonly log: Log; readonly lines: Line[] } {
  const note = (fields: object, text: string) => void lines.push([{ ...bound, ...fields }, text])
  const child = (fields: object) => recordedLog(lines, { ...bound, ...fields }).log
  return { log: { debug: note, info: note, warn: note, error: note, child, isLevelEnabled: () => true }, lines }
}
