/** Returns the standard error of a command without its progress lines, written every ten seconds. */
export function withoutProgress(stderr: string): string {
  return stderr.replaceAll(/^homeport: .*\/s, .* left.*\n/gm, '')
}
