import { describe, type IndexDefinition } from './index-definition.ts'

/** What is kept of an index beside it, as its comment in the database. */
export interface IndexNote {
  readonly definition: IndexDefinition
  /** null: by a version that did not note it */
  readonly madeBy: 'homeport' | 'administrator' | null
  /** ISO */
  readonly madeAt: string | null
}

/** The comment of an index. Its first line is what `describe` says. */
export function writeNote(definition: IndexDefinition, madeBy: 'homeport' | 'administrator', madeAt: Date): string {
  return `${describe(definition)}\n${madeBy} ${madeAt.toISOString()}`
}

/** Reads what `writeNote` wrote, or an older version, which wrote the first line alone. */
export function readNote(text: string): IndexNote {
  const [description, made = ''] = text.split('\n')
  const origin = /^(homeport|administrator) (\S+)$/.exec(made)
  return {
    definition: parseDescription(description!),
    madeBy: (origin?.[1] ?? null) as IndexNote['madeBy'],
    madeAt: origin?.[2] ?? null,
  }
}

/** Reads what `describe` wrote. */
function parseDescription(text: string): IndexDefinition {
  const elements = /^elements of (.+)$/.exec(text)
  if (elements) return { kind: 'containment', path: elements[1]!.split('.') as unknown as [string, ...string[]] }
  const unique = text.startsWith('unique ')
  const keys = (unique ? text.slice('unique '.length) : text).split(',')
  return {
    kind: 'sorted',
    unique,
    keys: keys.map((key) =>
      key.startsWith('-') ? { field: key.slice(1), descending: true } : { field: key, descending: false },
    ),
  }
}
