import { ownMember } from '../../../api/own-member.ts'

/** What a setting is called and what it does; the latter is empty where the name says it. */
export interface Explanation {
  readonly title: string
  readonly about: string
}

/** The text for a setting; one for several has `*` in place of the second name, as all limits have the same parts. */
export function textOf<Text>(texts: { readonly [pattern: string]: Text }, pattern: string): Text | undefined {
  return ownMember(texts, pattern) ?? ownMember(texts, pattern.replace(/^(\w+)\.[^.]+/, '$1.*'))
}
