import { App } from 'antd'
import { useTranslation } from 'react-i18next'
import { ownMember } from '../../../api/own-member.ts'
import { useFormat } from '../../../i18n/format.ts'
import { useEntryText } from '../../../parts/entry/use-entry-text.ts'
import type { DataObject } from '../data-queries.ts'
import { MAX_UNDONE, useManyEdits } from '../edits/use-many-edits.ts'
import type { Change } from '../edits/write-many.ts'
import { blockIn, MAX_CELLS, PasteFault, pastedValue } from './pasted-block.ts'
import type { ColumnChoice } from './use-column-choice.ts'
import { isEditable } from './use-grid-columns.tsx'
import type { GridRow } from './use-row-window.ts'

/**
 * @returns a function that writes a block of cells into the grid, starting at a row and a column. Either all cells are valid for
 * their columns, or nothing is written and the first invalid one is named.
 */
export function usePaste(className: string, choice: ColumnChoice) {
  const { t } = useTranslation('data')
  const format = useFormat()
  const entryText = useEntryText()
  const { message } = App.useApp()
  const change = useManyEdits(className)

  return async (
    clipboard: Pick<DataTransfer, 'getData'>,
    rows: readonly GridRow[],
    firstRow: number,
    firstColumn: string,
  ): Promise<void> => {
    try {
      const { changes, before } = changesOf(blockIn(clipboard), rows, firstRow, firstColumn)
      await change(changes, before)
    } catch (error) {
      const rule = error instanceof PasteFault && error.unparsed ? ` ${entryText(error.unparsed)}` : ''
      void message.error(t('paste.refused', { fault: (error as Error).message + rule }))
    }
  }

  function changesOf(block: readonly string[][], rows: readonly GridRow[], firstRow: number, firstColumn: string) {
    const cells = block.reduce((sum, line) => sum + line.length, 0)
    if (cells > MAX_CELLS || block.length > MAX_UNDONE)
      throw new Error(t('paste.tooLarge', { cells: format.number(MAX_CELLS), rows: format.number(MAX_UNDONE) }))
    const shown = choice.order.filter((name) => !choice.hidden.has(name))
    const names = shown.slice(shown.indexOf(firstColumn))
    const widest = Math.max(...block.map((line) => line.length))
    if (widest > names.length) throw new Error(t('paste.tooWide', { number: widest, room: names.length }))
    for (const name of names.slice(0, widest))
      if (!isEditable(name, choice.fields.get(name)!)) throw new Error(t('paste.fixedColumn', { name }))
    const changes: Change[] = []
    const before = new Map<string, Change['fields']>()
    for (const [down, line] of block.entries()) {
      const object = rows[firstRow + down]?.object
      if (!object) throw new Error(t('paste.tooLong', { number: block.length, room: down }))
      const fields = fieldsOf(object, line, names)
      if (Object.keys(fields).length === 0) continue
      changes.push({ objectId: object.objectId, readAt: object.updatedAt, fields })
      before.set(
        object.objectId,
        Object.fromEntries(Object.keys(fields).map((name) => [name, ownMember(object, name)])),
      )
    }
    return { changes, before }
  }

  /** Returns the fields of an object that a line of cells changes. */
  function fieldsOf(object: DataObject, line: readonly string[], names: readonly string[]): Change['fields'] {
    const fields = line.map((cell, across): [string, unknown] => {
      const name = names[across]!
      return [name, pastedValue(name, choice.fields.get(name)!, cell)]
    })
    return Object.fromEntries(
      fields.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(ownMember(object, name))),
    )
  }
}
