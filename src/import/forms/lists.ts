import { notice } from '../../notices/notice.ts'
import { isClassName } from '../../values/names.ts'
import type { ByteReader } from '../sources/byte-reader.ts'
import { relationOfFile } from './file-name.ts'
import type { RecordForm } from './form.ts'
import { elementGroups, type ListChoice } from './json-elements.ts'
import type { ImportRecord } from './record.ts'

/** Returns the form of the elements of a list by its name: a class, or the collection of a relation; null for another name. */
export function formOfList(name: string): RecordForm | null {
  const relation = relationOfFile(name)
  if (relation) return { form: 'member array', of: relation }
  return isClassName(name) ? { form: 'array', of: { className: name } } : null
}

const IN_OBJECT: ListChoice = ([name, ...deeper]) => (name !== undefined && deeper.length === 0 ? name : null)
const IN_DATA: ListChoice = ([data, ...path]) => (data === 'data' ? IN_OBJECT(path) : null)

/** Yields the elements of several lists in one JSON object, each with the form of its list. */
export async function* listedGroups(
  within: 'data' | null,
  reader: ByteReader,
): AsyncGenerator<readonly ImportRecord[]> {
  for await (const group of elementGroups(reader, within === null ? IN_OBJECT : IN_DATA))
    yield group.map(({ list, ...element }) => (element.form === undefined ? inList(list, element) : element))
}

function inList(list: string, element: ImportRecord): ImportRecord {
  const form = formOfList(list)
  return form ? { ...element, form } : { ...element, form, reason: notice('classNameInvalid', { name: list }) }
}
