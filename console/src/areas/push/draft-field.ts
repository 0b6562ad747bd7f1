import type { Draft } from './push-draft.ts'

/** The props of each part of the form. */
export interface DraftFieldsProps {
  readonly draft: Draft
  onChange(changes: Partial<Draft>): void
}
