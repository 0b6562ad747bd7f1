import { readFileSync } from 'node:fs'

/** Returns the walks described in docs/architecture.md by name, such as `A create`. */
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

/** Returns the file names in a walk: `api/http/create-http-server.ts`, `read-body.ts`, `*-field.ts`. */
export function namedFiles(walk: string): string[] {
  return [...walk.matchAll(/`([\w./*-]+\.ts)`/g)].map(([, file]) => file!)
}

/** Returns whether a file below `src/` matches one of the names, which can omit folders. */
export function isNamed(file: string, names: readonly string[]): boolean {
  return names.some((name) => new RegExp(`(^|/)${name.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`).test(file))
}
