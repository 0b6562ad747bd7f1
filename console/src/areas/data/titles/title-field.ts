import type { ClassDescription } from '../../../api/classes.ts'
import { ownMember } from '../../../api/own-member.ts'

/** Fields that people know objects by, the first that a class has. */
const NAMES = ['username', 'name', 'title', 'nickname', 'subject', 'label']
/** Types whose values are short texts. */
const SHORT = new Set(['String', 'Number', 'Any'])

/**
 * Returns the field that stands for objects of a class: the one that was chosen for the class, else one of the usual
 * names; null where there is neither.
 */
export function titleFieldOf(description: ClassDescription | undefined, chosen: string | undefined): string | null {
  if (!description) return null
  if (chosen !== undefined && mayBeTitle(description, chosen)) return chosen
  return NAMES.find((name) => description.fields[name]?.type === 'String') ?? null
}

/** Whether a field can stand for objects of its class. */
export function mayBeTitle({ fields }: ClassDescription, name: string): boolean {
  return Object.hasOwn(fields, name) && SHORT.has(fields[name]!.type)
}

/** The title of an object; empty where it has none. */
export function titleIn(object: { readonly [field: string]: unknown }, field: string | null): string {
  const title = field === null ? undefined : ownMember(object, field)
  return typeof title === 'string' || typeof title === 'number' ? String(title).slice(0, 80) : ''
}
