import { notice } from '../../notices/notice.ts'

/** Why a spreadsheet is not read. Excel saves cells as displayed, so the user should check the result of a conversion. */
export const IS_SPREADSHEET = notice('fileIsSpreadsheet')

/** The first bytes of files of older Excel versions, which are not archives. */
const OLE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]

/** Files in archives of Excel (and WPS), and of LibreOffice: one that all documents have, and one of spreadsheets. */
const MARKS: readonly (readonly [document: string, sheet: string])[] = [
  ['[Content_Types].xml', 'xl/workbook.xml'],
  ['[Content_Types].xml', 'xl/workbook.bin'],
  ['META-INF/manifest.xml', 'content.xml'],
]

/** Returns whether a file that is not an archive is a spreadsheet of an older Excel version. */
export function isOldSpreadsheet(beginning: Uint8Array): boolean {
  return OLE.every((byte, index) => beginning[index] === byte)
}

/**
 * Returns the spreadsheets among the files of an archive. Spreadsheets are archives themselves.
 * @param names of all files; those of nested archives start with the name of their archive
 * @returns the prefix of the file names of each spreadsheet; `''` when the whole archive is one
 */
export function spreadsheetsAmong(names: readonly string[]): string[] {
  const all = new Set(names)
  const found = MARKS.flatMap(([document, sheet]) =>
    names
      .filter((name) => name === document || name.endsWith(`/${document}`))
      .map((name) => name.slice(0, name.length - document.length))
      .filter((before) => all.has(before + sheet)),
  )
  return [...new Set(found)]
}
