import type { Level } from './finding.ts'

/** Returns a finding as a command prints it: level, text and id, and the fix on a second line. */
export function shownFinding(finding: {
  readonly level: Level
  readonly id: string
  readonly text: string
  readonly fix: string | null
}): string {
  const { level, id, text, fix } = finding
  const line = `${level.padEnd(8)} ${text} [${id}]\n`
  return fix === null ? line : `${line}         Fix: ${fix}\n`
}
