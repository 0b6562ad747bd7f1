import type { Draft } from './push-draft.ts'

/** What each part of the form works on. */
export interface DraftFieldsProps {
  readonly draft: Draft
  onChange(changes: Partial<Draft>): void
}
