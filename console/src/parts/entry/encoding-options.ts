import { ENCODINGS, type Encoding } from '../../../../src/import/sources/detect-encoding.ts'

/** Display names. */
const ENCODING_NAMES: { readonly [encoding in Encoding]: string } = {
  'utf-8': 'UTF-8',
  gb18030: 'GBK (GB18030)',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16 (big-endian)',
}

/** The options of a selection of encodings. */
export const ENCODING_OPTIONS = ENCODINGS.map((value) => ({ value, label: ENCODING_NAMES[value] }))
