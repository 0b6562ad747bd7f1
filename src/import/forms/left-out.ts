/** Names of files that operating systems create in folders and archives. */
const LEFT_OUT = /(^|[/\\])(__MACOSX[/\\].*|\.[^/\\]*|desktop\.ini|(eh)?thumbs\.db)$/is

/** Returns whether a file was created by macOS, Windows or a file manager, and not by the user. */
export function isLeftOut(name: string): boolean {
  return LEFT_OUT.test(name)
}
