import type { ClassDescription } from '../../../api/classes.ts'
import { ownMember } from '../../../api/own-member.ts'

/** Names of fields that usually identify an object; the first one in a class is used. */
const NAMES = ['username', 'name', 'title', 'nickname', 'subject', 'label']
/** Types with short text values. */
const SHORT = new Set(['String', 'Number', 'Any'])

/**
 * Returns the field that labels objects of a class: the one chosen for the class, else one of the usual names; null without
 * either.
 */
export function titleFieldOf(description: ClassDescription | undefined, chosen: string | undefined): string | null {
  if (!description) return null
  if (chosen !== undefined && mayBeTitle(description, chosen)) return chosen
  return NAMES.find((name) => description.fields[name]?.type === 'String') ?? null
}

/** Returns whether a field can label objects of its class. */
export function mayBeTitle({ fields }: ClassDescription, name: string): boolean {
  return Object.hasOwn(fields, name) && SHORT.has(fields[name]!.type)
}

/** Returns the title of an object; empty without one. */
export function titleIn(object: { readonly [field: string]: unknown }, field: string | null): string {
  const title = field === null ? undefined : ownMember(object, field)
  return typeof title === 'string' || typeof title === 'number' ? String(title).slice(0, 80) : ''
}
