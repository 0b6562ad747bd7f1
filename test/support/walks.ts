import { readFileSync } from 'node:fs'

/** Returns the walks that docs/architecture.md describes, by their names, such as `A create`. */
export function readWalks(): ReadonlyMap<string, string> {
  const page = readFileSync('docs/architecture.md', 'utf8')
  const [section = ''] = page.split('### Four walks\n')[1]?.split(/^#+ /m) ?? []
  return new Map(
    section
      .split(/^\*\*/m)
      .slice(1)
      .map((text) => {
        const [name = '', ...rest] = text.split('**')
        return [name, rest.join('**')]
      }),
  )
}

/** Returns the files that a walk names: `api/http/create-http-server.ts`, `read-body.ts`, `*-field.ts`. */
export function namedFiles(walk: string): string[] {
  return [...walk.matchAll(/`([\w./*-]+\.ts)`/g)].map(([, file]) => file!)
}

/** Whether a file below `src/` is one of the names, which may leave out folders. */
export function isNamed(file: string, names: readonly string[]): boolean {
  return names.some((name) => new RegExp(`(^|/)${name.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`).test(file))
}
