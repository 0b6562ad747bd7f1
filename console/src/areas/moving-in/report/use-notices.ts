import { piecesOf } from '../../../../../src/notices/fill-in.ts'
import type { Notice } from '../../../../../src/notices/notice.ts'
import { useNoticeCatalog } from '../../../parts/notice-catalog.ts'
import { usePartName } from '../part-name.ts'

/** A text in parts. English prose from outside the catalog is marked; names and numbers have no language. */
export type Phrase = readonly { readonly text: string; readonly isEnglish: boolean }[]

const PROSE = /[a-z]+ [a-z]+/

/** Returns a function that formats notices in the current language. Suspends until its catalog is loaded. */
export function useNotices(): (notice: Notice) => Phrase {
  const catalog = useNoticeCatalog()
  const partName = usePartName()
  return (notice) =>
    piecesOf(notice, catalog).map(({ text, value }) => {
      if (value === null) return { text, isEnglish: false }
      return value === 'where' ? { text: partName(text), isEnglish: false } : asGiven(text)
    })
}

/** Returns a text from outside the catalog. */
export function asGiven(text: string): Phrase[number] {
  return { text, isEnglish: PROSE.test(text) }
}
