import { describe, type IndexDefinition } from './index-definition.ts'

/** Metadata of an index, stored as its comment in the database. */
export interface IndexNote {
  readonly definition: IndexDefinition
  /** null if an older version created it, which did not record it. */
  readonly madeBy: 'homeport' | 'administrator' | null
  /** ISO 8601. */
  readonly madeAt: string | null
}

/** Returns the comment of an index. Its first line is the result of `describe`. */
export function writeNote(definition: IndexDefinition, madeBy: 'homeport' | 'administrator', madeAt: Date): string {
  return `${describe(definition)}\n${madeBy} ${madeAt.toISOString()}`
}

/** Parses the result of `writeNote`, or the comment of an older version, which had only the first line. */
export function readNote(text: string): IndexNote {
  const [description, made = ''] = text.split('\n')
  const origin = /^(homeport|administrator) (\S+)$/.exec(made)
  return {
    definition: parseDescription(description!),
    madeBy: (origin?.[1] ?? null) as IndexNote['madeBy'],
    madeAt: origin?.[2] ?? null,
  }
}

/** Parses the result of `describe`. */
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
