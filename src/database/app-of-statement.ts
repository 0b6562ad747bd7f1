/** The app whose tables a statement names, `''` where it names none: each app has a schema of its own. */
export function appOfStatement(text: string): string {
  const start = text.indexOf('"app_')
  return start < 0 ? '' : text.slice(start + '"app_'.length, text.indexOf('"', start + 1))
}
