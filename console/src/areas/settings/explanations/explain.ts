import { ownMember } from '../../../api/own-member.ts'

/** The name of a setting and its description, which is empty when the name suffices. */
export interface Explanation {
  readonly title: string
  readonly about: string
}

/** Returns the text of a setting; shared texts have `*` in place of the second name, as all limits have the same parts. */
export function textOf<Text>(texts: { readonly [pattern: string]: Text }, pattern: string): Text | undefined {
  return ownMember(texts, pattern) ?? ownMember(texts, pattern.replace(/^(\w+)\.[^.]+/, '$1.*'))
}
