/** What a command wrote to standard error, without the line on its progress that it writes each ten seconds. */
export function withoutProgress(stderr: string): string {
  return stderr.replaceAll(/^homeport: .* a second, .* left.*\n/gm, '')
}
