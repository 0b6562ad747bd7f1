import { Select } from 'antd'
import type { RenderEditCellProps } from 'react-data-grid'
import { useTranslation } from 'react-i18next'
import type { Field } from '../../../api/classes.ts'
import { ValueDialog } from '../editors/value-dialog.tsx'
import { fromLocalInput, toLocalInput } from '../values/local-time.ts'
import { isDate } from '../values/typed-value.ts'
import type { GridRow } from './use-row-window.ts'

interface CellEditorProps {
  readonly cell: RenderEditCellProps<GridRow>
  readonly field: Field
  /** Saves at once what a dialog was left with. */
  onSave(value: unknown): void
}

/** Longer texts, and those of several lines, are edited in a dialog. */
const IN_PLACE = 120

/** Where a cell is edited: in its place if its type has room there, else in a dialog. */
export function CellEditor({ cell, field, onSave }: CellEditorProps) {
  const { row, column, onRowChange, onClose } = cell
  const value = row.object?.[column.key]
  const change = (next: unknown) =>
    onRowChange({ ...row, object: { ...row.object!, [column.key]: next } as NonNullable<GridRow['object']> })
  const isShort = typeof value !== 'string' || (value.length <= IN_PLACE && !value.includes('\n'))
  if (field.type === 'String' && isShort)
    return <InputCell label={column.key} type="text" initial={value ?? ''} onChange={change} />
  if (field.type === 'Number')
    return (
      <InputCell
        label={column.key}
        type="number"
        initial={value ?? ''}
        onChange={(text) => change(text === '' ? undefined : Number(text))}
      />
    )
  if (field.type === 'Date')
    return (
      <InputCell
        label={column.key}
        type="datetime-local"
        initial={isDate(value) ? toLocalInput(value.iso) : ''}
        onChange={(text) => change(fromLocalInput(text))}
      />
    )
  if (field.type === 'Boolean')
    return <BooleanCell label={column.key} value={value} onSave={onSave} onClose={() => onClose(false, true)} />
  return (
    <ValueDialog name={column.key} field={field} value={value} onSave={onSave} onClose={() => onClose(false, true)} />
  )
}

interface InputCellProps {
  readonly label: string
  readonly type: 'text' | 'number' | 'datetime-local'
  readonly initial: unknown
  onChange(text: string): void
}

/** The grid saves what was entered at Enter, Tab and clicks elsewhere, and leaves it at Escape. */
function InputCell({ label, type, initial, onChange }: InputCellProps) {
  return (
    <input
      className="data-input"
      aria-label={label}
      type={type}
      step={type === 'number' ? 'any' : type === 'datetime-local' ? 0.001 : undefined}
      defaultValue={initial as string}
      ref={focusAndSelect}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

/** Made once: a function that is new at each key would select what was typed. */
function focusAndSelect(input: HTMLInputElement | null): void {
  input?.focus()
  if (input?.type !== 'datetime-local') input?.select()
}

interface BooleanCellProps {
  readonly label: string
  readonly value: unknown
  onSave(value: boolean): void
  onClose(): void
}

function BooleanCell({ label, value, onSave, onClose }: BooleanCellProps) {
  const { t } = useTranslation('data')
  return (
    <Select
      autoFocus
      defaultOpen
      aria-label={label}
      size="small"
      style={{ width: '100%' }}
      value={typeof value === 'boolean' ? String(value) : null}
      onChange={(chosen) => {
        onSave(chosen === 'true')
        onClose()
      }}
      options={[
        { value: 'true', label: t('value.true') },
        { value: 'false', label: t('value.false') },
      ]}
    />
  )
}
