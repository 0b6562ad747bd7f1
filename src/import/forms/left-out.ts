/** Names by which systems put files of their own beside others, and into archives. */
const LEFT_OUT = /(^|[/\\])(__MACOSX[/\\].*|\.[^/\\]*|desktop\.ini|(eh)?thumbs\.db)$/is

/** Whether a file is one of macOS, Windows or a file manager, and nothing that a person has put there. */
export function isLeftOut(name: string): boolean {
  return LEFT_OUT.test(name)
}
