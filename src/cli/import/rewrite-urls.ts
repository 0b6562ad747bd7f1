import { InvalidArgumentError } from 'commander'
import { notice } from '../../notices/notice.ts'
import { NoticedError } from '../../notices/noticed-error.ts'
import { isClassName, isKeyName } from '../../values/names.ts'
import type { Management } from '../management.ts'

/** Texts in which URLs of files are rewritten: all, or selected fields by class, and messages. */
export type RewriteTargets =
  | 'all'
  | { readonly fields: ReadonlyMap<string, readonly string[]>; readonly messages: boolean }

/** The number of rewritten texts, by class, by class and field, or for `messages`. */
export interface Rewritten {
  /** The base of the new URLs of files. */
  readonly base: string
  readonly places: readonly string[]
  readonly counts: { readonly [texts: string]: { readonly changed: number; readonly urls: number } }
}

/** Help texts of the options of import and pull. */
export const REWRITE_URLS = "rewrite file URLs in texts: 'all', or fields such as Post.cover,Post.body,messages"
export const OLD_DOMAIN = 'former host of files, in addition to those in file records; can be repeated'

type TextsOf = 'messages' | { readonly className: string; readonly fields: readonly string[] | null }

/** Maximum attempts for a page with concurrent writes. */
const ATTEMPTS = 3

/** Parses the value of `--rewrite-urls`. @throws InvalidArgumentError */
export function parseTargets(text: string): RewriteTargets {
  if (text === 'all') return 'all'
  const fields = new Map<string, string[]>()
  let messages = false
  for (const part of text.split(',').map((one) => one.trim())) {
    const [, className = '', field = ''] = /^(\w+)\.(\w+)$/.exec(part) ?? []
    if (part === 'messages') messages = true
    else if (isClassName(className) && isKeyName(field))
      fields.set(className, [...(fields.get(className) ?? []), field])
    else throw new InvalidArgumentError("must be 'all', or fields such as Post.cover,Post.body,messages")
  }
  return { fields, messages }
}

/** Parses a value of `--old-domain`. @throws InvalidArgumentError */
export function parseOldDomain(text: string, before: readonly string[] = []): readonly string[] {
  const domain = text.replace(/^https?:\/\//i, '').replace(/\/+$/, '')
  if (!/^[a-z0-9.-]+(:\d{1,5})?(\/[^\s/?#]+)*$/i.test(domain))
    throw new InvalidArgumentError('must be a host such as files.example.com')
  return [...before, domain]
}

/**
 * Replaces the former URLs of files with their new URLs in the texts of an app.
 * @param appPath the path of the app in the management API
 * @param domains former hosts in addition to those in the records of files
 * @throws Error with one line for the user
 */
export async function rewriteUrls(
  { request }: Management,
  appPath: string,
  targets: RewriteTargets,
  domains: readonly string[],
): Promise<Rewritten> {
  const path = `${appPath}/rewritten-urls`
  const known = (await request('GET', path)) as { base: string | null; places: string[]; classes: string[] }
  const { base } = known
  if (base === null) throw new NoticedError(notice('rewriteWithoutBase'))
  const from = formerDomains(base, [...domains, ...known.places])
  const counts: Record<string, { changed: number; urls: number }> = {}
  if (from.length === 0) return { base, places: from, counts }
  for (const of of textsOf(targets, known.classes)) {
    const sum = { changed: 0, urls: 0 }
    let attempt = 1
    for (let after: string | null = null; ; ) {
      const page = (await request('POST', path, { of, after, places: from })) as {
        readonly changed: number
        readonly urls: number
        readonly missed: number
        readonly after: string | null
      }
      sum.changed += page.changed
      if (page.missed > 0 && attempt++ < ATTEMPTS) continue
      sum.urls += page.urls
      attempt = 1
      after = page.after
      if (after === null) break
    }
    if (sum.changed > 0 || targets !== 'all') counts[nameOf(of)] = sum
  }
  return { base, places: from, counts }
}

/** Returns the distinct former hosts in their order, at most a hundred, without the current host. */
export function formerDomains(base: string, domains: readonly string[]): string[] {
  const [, ownDomain = ''] = /^https?:\/\/(.*)$/i.exec(base) ?? []
  return [...new Set(domains)].filter((domain) => domain !== ownDomain).slice(0, 100)
}

function textsOf(targets: RewriteTargets, classes: readonly string[]): TextsOf[] {
  if (targets === 'all') return [...classes.map((className) => ({ className, fields: null })), 'messages']
  const fields = [...targets.fields].flatMap(([className, names]) =>
    names.map((name) => ({ className, fields: [name] })),
  )
  return [...fields, ...(targets.messages ? (['messages'] as const) : [])]
}

function nameOf(of: TextsOf): string {
  return of === 'messages' ? of : [of.className, ...(of.fields ?? [])].join('.')
}
