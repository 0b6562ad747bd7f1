import { errors } from '../../errors.ts'
import { storableText } from '../../values/json.ts'
import { checkKeyName } from '../../values/names.ts'

/** A key of a condition or order, split at its dots: a field, then names of members of Object values. */
export type Path = readonly [field: string, ...inner: readonly string[]]

const MAX_SEGMENTS = 32
const MAX_LENGTH = 1000

/**
 * Parses a key such as `profile.city` (protocol/storage, Where operators: dotted keys). A key has at most 32 segments and 1000
 * characters.
 * @example
 * parsePath('profile.city') // ['profile', 'city']
 * @throws ApiError 105 when the first segment is not a valid field name, 102 for the others
 */
export function parsePath(key: string): Path {
  const [field = '', ...inner] = key.split('.')
  checkKeyName(field)
  if (key.length > MAX_LENGTH || inner.length >= MAX_SEGMENTS) {
    throw errors.invalidQuery(
      `The key '${key.slice(0, 40)}…' is too long; a key must have at most ${MAX_SEGMENTS} segments and ${MAX_LENGTH} characters.`,
    )
  }
  for (const segment of inner) {
    if (segment === '') throw errors.invalidQuery(`The key '${key}' has an empty segment; write it as 'a.b'.`)
    if (segment.startsWith('$'))
      throw errors.invalidQuery(`The segment '${segment}' of '${key}' must not begin with '$'.`)
  }
  return [field, ...inner.map(storableText)]
}

/** Returns the path as the caller wrote it, for error texts. */
export function showPath(path: Path): string {
  return path.join('.')
}
