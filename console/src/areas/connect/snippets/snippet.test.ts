import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SDKS } from '../sdks.ts'
import { rest } from './servers.ts'
import { dart, env, single, word, yaml } from './snippet.ts'

/** Keys accepted by the server: 8 to 128 printable characters, no comma. Most of them have a special meaning in some language. */
const KEY = fc
  .array(fc.constantFrom(...'\'"`$\\;&|<>(){}[]#!*?~%:@=-ab1'), { minLength: 8, maxLength: 30 })
  .map((parts) => parts.join(''))
const KEYS = fc.sample(KEY, 60)

/** Windows has no POSIX shell. */
const NO_SHELL = process.platform === 'win32'

/** Returns the arguments a shell passes to `curl` and `python`, a list for each command. */
function runInShell(commands: readonly string[]): string[][] {
  const shown = '{ printf "%s\\0" "$@"; printf "\\001\\0"; }'
  const script = [
    `curl() ${shown}`,
    `python() { set -- "$LEANCLOUD_API_SERVER" "$@"; ${shown.slice(1)}`,
    ...commands,
  ].join('\n')
  const written = execFileSync('sh', ['-s'], { input: script, encoding: 'utf8' })
  const calls = written.split('\u0001\0').slice(0, -1)
  return calls.map((call) => call.split('\0').slice(0, -1))
}

describe('code to connect an app', () => {
  it.skipIf(NO_SHELL)('passes any key to the shell unchanged', () => {
    const commands = KEYS.flatMap((appKey) => rest({ serverUrl: 'https://api.example.org', appId: 'id', appKey }))
    const calls = runInShell(commands.map(({ code }) => code))
    expect(calls).toHaveLength(commands.length)
    for (const [n, appKey] of KEYS.entries()) {
      const [post, get, master] = calls.slice(n * 3)
      for (const call of [post, get]) expect(call).toContain(`X-LC-Key: ${appKey}`)
      expect(post!.at(-1)).toBe('https://api.example.org/1.1/classes/Post')
      expect(get!.at(-1)).toBe('https://api.example.org/1.1/classes/Post?limit=10')
      expect(master).toContain('X-LC-Key: <Master Key>,master')
    }
  })

  it.skipIf(NO_SHELL)('consists of words that a shell does not split, expand or run', () => {
    const calls = runInShell(KEYS.map((key) => `curl ${word(key)}`))
    expect(calls).toEqual(KEYS.map((key) => [key]))
  })

  it.each([
    ['JavaScript and PHP', single, /^'((?:\\['\\]|[^'\\])*)'$/],
    ['Dart', dart, /^'((?:\\['\\$]|[^'\\$])*)'$/],
  ] as const)('has %s literals that end where they should and expand nothing', (_language, literal, form) => {
    for (const key of KEYS) {
      const [, inside] = form.exec(literal(key))!
      expect(inside!.replace(/\\(.)/g, '$1')).toBe(key)
    }
  })

  it('has YAML values that are strings', () => {
    for (const key of KEYS) {
      const [, plain, inside] = /^(?:([A-Za-z][\w./:-]*[\w./-])|'((?:''|[^'])*)')$/.exec(yaml(key))!
      expect(plain ?? inside!.replaceAll("''", "'")).toBe(key)
    }
    for (const text of ['12345678', '1e3', 'true', 'null', 'no', '~', '', 'key:', '*alias', '# none'])
      expect(yaml(text)).toBe(`'${text}'`)
    expect(yaml('https://api.example.org:8443')).toBe('https://api.example.org:8443')
  })

  it('has variables in a file that end with their line', () => {
    expect(env('abcd1234')).toBe('abcd1234')
    expect(env('a#b$c d')).toBe("'a#b$c d'")
    expect(env("a'b#c")).toBe("`a'b#c`")
  })

  it('never contains a key that ends a literal', () => {
    const appKey = `k'"\${x}\\k`
    // A file of environment variables uses other quotes.
    for (const { key, snippets } of SDKS.filter((sdk) => sdk.key !== 'blogs'))
      for (const { code } of snippets({ serverUrl: 'https://api.example.org', appId: 'id', appKey }))
        expect(code.includes(appKey), `${key}: ${code}`).toBe(false)
  })
})
