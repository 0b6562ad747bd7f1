import { canonicalDate } from '../../values/date.ts'
import type { Json } from '../../values/json.ts'
import { isObjectId } from '../../values/names.ts'
import type { FieldType } from '../../values/typed.ts'

/**
 * Converts a text in a query to a value of a field, in the form of conditions on objects; undefined when it is not valid.
 * @param type undefined for a system field
 */
export function typedValue(field: string, type: FieldType | undefined, text: string): Json | undefined {
  if (field === 'objectId') return text
  if (field === 'createdAt' || field === 'updatedAt' || type?.type === 'Date') return dateOf(text)
  switch (type?.type) {
    case 'String':
      return text
    case 'Number':
      return numberOf(text)
    case 'Array':
    case 'Any':
      return numberOf(text) ?? text
    case 'Boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined
    case 'Pointer':
      return isObjectId(text) ? { __type: 'Pointer', className: type.className, objectId: text } : undefined
    default:
      return undefined
  }
}

function numberOf(text: string): number | undefined {
  return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text)) ? Number(text) : undefined
}

function dateOf(text: string): Json | undefined {
  const iso = canonicalDate(text)
  return iso === null ? undefined : { __type: 'Date', iso }
}
