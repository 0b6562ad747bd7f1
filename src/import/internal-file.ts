import { isJsonObject, type Json } from '../values/json.ts'

/**
 * Returns whether the bytes of a file are stored by the app of its record; other files are external URLs (protocol/files, File
 * record).
 */
export function isInternalFile({ key, metaData = null }: { readonly [name: string]: Json }): boolean {
  const isExternal = isJsonObject(metaData) && metaData.__source === 'external'
  return typeof key === 'string' && key !== '' && !isExternal
}
