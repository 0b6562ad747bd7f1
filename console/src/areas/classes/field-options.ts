import type { Field } from '../../api/classes.ts'

/** The options of a field, besides its type. */
export const OPTIONS = [
  'required',
  'readOnly',
  'hidden',
  'hiddenInResults',
  'userPrivate',
  'autoIncrement',
  'searchable',
] as const

/** Returns the options that are set. `hidden` has two values, which are two options here. */
export function optionsOf(field: Field | undefined): (typeof OPTIONS)[number][] {
  return OPTIONS.filter((option) =>
    option === 'hiddenInResults' ? field?.hidden === 'results' : field?.[option] === true,
  )
}
