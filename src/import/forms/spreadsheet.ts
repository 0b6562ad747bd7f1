import { notice } from '../../notices/notice.ts'

/** Why a spreadsheet is not read. Excel saves what is shown of its cells, so that the user should look at it once. */
export const IS_SPREADSHEET = notice('fileIsSpreadsheet')

/** How the older files of Excel begin, which are no archives. */
const OLE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]

/** Files that archives of Excel (and WPS), and of LibreOffice, have: one that all documents have, and one of spreadsheets. */
const MARKS: readonly (readonly [document: string, sheet: string])[] = [
  ['[Content_Types].xml', 'xl/workbook.xml'],
  ['[Content_Types].xml', 'xl/workbook.bin'],
  ['META-INF/manifest.xml', 'content.xml'],
]

/** Whether a file that is no archive is a spreadsheet of older versions of Excel. */
export function isOldSpreadsheet(beginning: Uint8Array): boolean {
  return OLE.every((byte, index) => beginning[index] === byte)
}

/**
 * The spreadsheets among the files of an archive, which are archives themselves.
 * @param names of all files, those of archives within with the name of their archive in front
 * @returns how the names of the files of each spreadsheet begin; `''` where the whole archive is one
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
