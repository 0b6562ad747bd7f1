import { clipboardLine } from './clipboard-text.ts'

/** Returns a text as one argument of a POSIX shell (sh, bash, zsh): nothing in it is expanded, executed or breaks the line. */
export function shellArgument(text: string): string {
  return `'${clipboardLine(text).replaceAll("'", "'\\''")}'`
}
