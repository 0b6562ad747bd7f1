import pg from 'pg'

const BOOLEAN = 16
const INTEGERS = new Set([20, 21, 23])
const TEXT_ARRAY = 1009
const parseTextArray = pg.types.getTypeParser(TEXT_ARRAY as never)

/** Leaves values as the text that the database sent, above all JSON: most of it is passed to the socket without parsing. */
export const plainTypes: pg.CustomTypesConfig = {
  getTypeParser: (type: number) => {
    if (type === BOOLEAN) return (text: string) => text === 't'
    if (INTEGERS.has(type)) return Number
    if (type === TEXT_ARRAY) return parseTextArray
    return (text: string) => text
  },
}
