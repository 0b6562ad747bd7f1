import { theme } from 'antd'
import { type CSSProperties, type RefObject, useEffect, useRef } from 'react'
import {
  type CellKeyboardEvent,
  type CellKeyDownArgs,
  type Column,
  DataGrid,
  type DataGridHandle,
} from 'react-data-grid'
import { ownMember } from '../../../api/own-member.ts'
import 'react-data-grid/lib/styles.css'
import { useTranslation } from 'react-i18next'
import type { ClassDescription } from '../../../api/classes.ts'
import { useApp } from '../../../api/use-app.ts'
import { useAppearance } from '../../../parts/appearance-context.ts'
import { Unparsed } from '../../../parts/entry/parse-entry.ts'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { useShownData } from '../data-search.ts'
import { useEdits } from '../edits/edits.tsx'
import { mayChangeRows } from '../edits/row-rules.ts'
import { EmptyGrid } from './empty-grid.tsx'
import './grid.css'
import { copyCell } from './pasted-block.ts'
import type { ColumnChoice } from './use-column-choice.ts'
import { isEditable, useGridColumns } from './use-grid-columns.tsx'
import { usePaste } from './use-paste.ts'
import { type GridRow, useRowWindow } from './use-row-window.ts'

interface ObjectGridProps {
  readonly description: ClassDescription
  readonly columns: ColumnChoice
  readonly selected: ReadonlySet<string>
  onSelect(selected: ReadonlySet<string>): void
}

/** Pixels */
const ROW_HEIGHT = 36

/** The objects of a class as rows, loaded while scrolling. */
export function ObjectGrid({ description, columns: choice, selected, onSelect }: ObjectGridProps) {
  const { t } = useTranslation('data')
  const { appId, canChange } = useApp()
  const { className, where, order, show } = useShownData()
  const { rows, isLoading, error, look, retry } = useRowWindow(appId, className, where, order)
  const columns = useGridColumns(className, choice)
  const edits = useEdits()
  const paste = usePaste(className, choice)
  const { isDark } = useAppearance()
  const colours = useColours()
  const grid = useRef<DataGridHandle>(null)
  const isEmpty = !isLoading && !error && rows.length === 0
  useShowNewColumn(grid, choice, columns)

  const sorted = order.replace(/^-/, '')
  const seen = ({ scrollTop, clientHeight }: HTMLDivElement) =>
    look(Math.floor(scrollTop / ROW_HEIGHT), Math.ceil((scrollTop + clientHeight) / ROW_HEIGHT))
  return (
    <>
      <ProblemNotice error={error} onRetry={retry} />
      <div
        style={{
          position: 'relative',
          minHeight: 360,
          height: 'calc(100dvh - 188px - var(--toasts-height, 0px))',
          ...colours,
        }}
      >
        <DataGrid<GridRow, unknown, string>
          ref={grid}
          className={`data-grid ${isDark ? 'rdg-dark' : 'rdg-light'}`}
          aria-label={t('grid.title', { className })}
          columns={columns}
          rows={rows}
          rowKeyGetter={({ key }) => key}
          rowHeight={ROW_HEIGHT}
          headerRowHeight={ROW_HEIGHT + 4}
          onScroll={(event) => seen(event.currentTarget)}
          selectedRows={selected}
          onSelectedRowsChange={onSelect}
          isRowSelectionDisabled={({ object }) => object === null}
          sortColumns={[{ columnKey: sorted, direction: order.startsWith('-') ? 'DESC' : 'ASC' }]}
          onSortColumnsChange={([column]) => {
            const key = column?.columnKey
            show({ order: key === undefined ? undefined : column!.direction === 'DESC' ? `-${key}` : key })
          }}
          onColumnsReorder={choice.move}
          onColumnResize={(column, width) => choice.setWidth(column.key, width)}
          onRowsChange={(changed, { indexes, column }) => {
            for (const index of indexes) {
              const { object } = rows[index]!
              const value = ownMember(changed[index]!.object, column.key)
              if (object && value instanceof Unparsed) edits.refuse(object, column.key, value)
              else if (object && ownMember(object, column.key) !== value)
                void edits.save(className, object, column.key, value)
            }
          }}
          onCellKeyDown={(args, event) => pressed(args, event)}
          onCellCopy={({ row, column }, event) => {
            copyCell(event.clipboardData, ownMember(row.object, column.key))
            event.preventDefault()
          }}
          onCellPaste={({ row, column }, event) => {
            event.preventDefault()
            void paste(event.clipboardData, rows, rows.indexOf(row), column.key)
            return row
          }}
        />
        {/* Below the column headers, which exist without rows. */}
        {isEmpty && (
          <div style={{ position: 'absolute', insetInline: 1, top: ROW_HEIGHT + 5 }}>
            <EmptyGrid description={description} isFiltered={where !== undefined} />
          </div>
        )}
      </div>
    </>
  )

  /** Handles keys: Delete removes a value, Space opens the object in the drawer. */
  function pressed(args: CellKeyDownArgs<GridRow>, event: CellKeyboardEvent): void {
    if (args.mode !== 'ACTIVE' || !args.row?.object || !args.column) return
    const { key: name } = args.column
    const field = choice.fields.get(name)
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z') {
      // The key is handled by the page (`useUndoKey`), and opens no editor.
      event.preventGridDefault()
    } else if (event.key === ' ' && field) {
      event.preventGridDefault()
      event.preventDefault()
      show({ open: `${className}/${args.row.object.objectId}` })
    } else if ((event.key === 'Delete' || event.key === 'Backspace') && canChange && field) {
      event.preventGridDefault()
      const hasValue = ownMember(args.row.object, name) !== undefined
      if (mayChangeRows(className) && isEditable(name, field) && name !== 'ACL' && hasValue)
        void edits.save(className, args.row.object, name, undefined)
    }
  }
}

/** Scrolls to a column added while the grid is open, which can be off screen. */
function useShowNewColumn(
  grid: RefObject<DataGridHandle | null>,
  { fields }: ColumnChoice,
  columns: readonly Column<GridRow>[],
): void {
  const known = useRef(fields)
  useEffect(() => {
    const added = [...fields.keys()].find((name) => !known.current.has(name))
    known.current = fields
    const idx = columns.findIndex(({ key }) => key === added)
    if (idx >= 0) grid.current?.scrollToCell({ idx })
  }, [grid, fields, columns])
}

/** Returns the theme colors as CSS variables of the grid. */
function useColours(): CSSProperties {
  const { token } = theme.useToken()
  return {
    '--rdg-color': token.colorText,
    '--rdg-background-color': token.colorBgContainer,
    '--rdg-header-background-color': token.colorBgLayout,
    '--rdg-header-draggable-background-color': token.colorBgLayout,
    '--rdg-border-color': token.colorBorderSecondary,
    '--rdg-row-hover-background-color': token.colorFillQuaternary,
    '--rdg-row-selected-background-color': token.colorPrimaryBg,
    '--rdg-row-selected-hover-background-color': token.colorPrimaryBgHover,
    '--rdg-selection-color': token.colorPrimary,
    '--rdg-checkbox-focus-color': token.colorPrimary,
    '--data-fault': token.colorErrorBg,
    '--data-edge': token.colorPrimary,
    '--data-wrong': token.colorError,
  } as CSSProperties
}
