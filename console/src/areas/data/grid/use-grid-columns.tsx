import { Skeleton, Tooltip, Typography } from 'antd'
import { type ReactNode, useMemo } from 'react'
import { type Column, type RenderCellProps, SelectColumn } from 'react-data-grid'
import { useTranslation } from 'react-i18next'
import type { Field } from '../../../api/classes.ts'
import { ownMember } from '../../../api/own-member.ts'
import { useApp } from '../../../api/use-app.ts'
import { Boundary } from '../../../parts/boundary.tsx'
import { cellKey, useEdits } from '../edits/edits.tsx'
import { mayChangeRows } from '../edits/row-rules.ts'
import { ObjectLink } from '../titles/pointer-link.tsx'
import { CellValue } from '../values/cell-value.tsx'
import { pointerTo } from '../values/typed-value.ts'
import { CellEditor } from './cell-editor.tsx'
import { type ColumnChoice, SYSTEM_FIELDS } from './use-column-choice.ts'
import type { GridRow } from './use-row-window.ts'

/** Widths of types that differ from the default, in pixels. */
const WIDTHS: { readonly [type: string]: number } = { Number: 120, Boolean: 150, Date: 210, ACL: 200 }
const UNSORTED = new Set(['ACL', 'Relation', 'GeoPoint', 'File', 'Object', 'Array', 'Any'])

/** Returns the visible columns, with the display and editors of their cells. */
export function useGridColumns(className: string, choice: ColumnChoice): readonly Column<GridRow>[] {
  const { t } = useTranslation('data')
  const { canChange } = useApp()
  const edits = useEdits()
  const { fields, order, hidden, widths } = choice
  return useMemo(() => {
    const shown = order.filter((name) => !hidden.has(name))
    return [...(canChange ? [SelectColumn] : []), ...shown.map((name) => columnOf(name, fields.get(name)!))]

    function columnOf(name: string, field: Field): Column<GridRow> {
      return {
        key: name,
        name: <ColumnName name={name} type={field.type} />,
        width: ownMember(widths, name) ?? (name === 'objectId' ? 220 : (ownMember(WIDTHS, field.type) ?? 200)),
        minWidth: 80,
        resizable: true,
        draggable: true,
        sortable: !UNSORTED.has(field.type),
        cellClass: ({ object }) =>
          object && edits.faults.has(cellKey(object.objectId, name)) ? 'data-fault' : undefined,
        renderCell: (cell) => shownCell(name, field, cell),
        ...(canChange && mayChangeRows(className) && isEditable(name, field)
          ? {
              editable: ({ object }) => object !== null,
              editorOptions: { closeOnExternalRowChange: false, displayCellContent: isInDialog(field) },
              renderEditCell: (cell) => (
                <CellEditor
                  cell={cell}
                  field={field}
                  onSave={(value) => void edits.save(className, cell.row.object!, name, value)}
                />
              ),
            }
          : {}),
      }
    }

    function shownCell(name: string, field: Field, { row: { object }, tabIndex }: RenderCellProps<GridRow>): ReactNode {
      if (!object) return <Skeleton.Input size="small" style={{ height: 12, minWidth: 60 }} block />
      const { objectId } = object
      const value =
        name === 'objectId' ? (
          <ObjectLink pointer={pointerTo(className, objectId)} tabIndex={tabIndex} title="" />
        ) : (
          <Boundary>
            <CellValue field={field} value={ownMember(object, name)} tabIndex={tabIndex} />
          </Boundary>
        )
      const fault = edits.faults.get(cellKey(object.objectId, name))
      if (fault === undefined) return value
      return (
        <Tooltip title={fault}>
          <span aria-description={t('edits.refused', { field: name, fault })}>{value}</span>
        </Tooltip>
      )
    }
  }, [order, hidden, widths, fields, canChange, className, edits, t])
}

/** Returns whether a column can be edited. Relations are edited in the drawer. */
export function isEditable(name: string, field: Field): boolean {
  return field.type !== 'Relation' && (!SYSTEM_FIELDS.has(name) || name === 'ACL')
}

function isInDialog({ type }: Field): boolean {
  return type !== 'String' && type !== 'Number' && type !== 'Date' && type !== 'Boolean'
}

function ColumnName({ name, type }: { readonly name: string; readonly type: string }) {
  return (
    <>
      <span translate="no">{name}</span>{' '}
      <Typography.Text type="secondary" style={{ fontSize: '0.85em', fontWeight: 400 }} translate="no">
        {type}
      </Typography.Text>
    </>
  )
}
