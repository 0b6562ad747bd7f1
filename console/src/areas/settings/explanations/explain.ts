/** What a setting is called and what it does; the latter is empty where the name says it. */
export interface Explanation {
  readonly title: string
  readonly about: string
}

export interface Explanations {
  readonly [pattern: string]: readonly [title: string, about?: string]
}

/** The text for a setting; one for several has `*` in place of the second name, as all limits have the same parts. */
export function explain(texts: Explanations, pattern: string): Explanation {
  const found = texts[pattern] ?? texts[pattern.replace(/^(\w+)\.[^.]+/, '$1.*')]
  return { title: found?.[0] ?? pattern.split('.').at(-1)!, about: found?.[1] ?? '' }
}
