import { Select } from 'antd'
import { type SyntheticEvent, useState } from 'react'
import type { RenderEditCellProps } from 'react-data-grid'
import { useTranslation } from 'react-i18next'
import type { Field } from '../../../api/classes.ts'
import { ownMember } from '../../../api/own-member.ts'
import { toLocalInput } from '../../../parts/entry/local-time.ts'
import { readLocalInput } from '../../../parts/entry/local-time-input.tsx'
import { parseNumber, Unparsed } from '../../../parts/entry/parse-entry.ts'
import { useEntryText } from '../../../parts/entry/use-entry-text.ts'
import { ValueDialog } from '../editors/value-dialog.tsx'
import { isDate } from '../values/typed-value.ts'
import type { GridRow } from './use-row-window.ts'

interface CellEditorProps {
  readonly cell: RenderEditCellProps<GridRow>
  readonly field: Field
  /** Saves the value of a dialog immediately. */
  onSave(value: unknown): void
}

/** Longer texts and those of several lines are edited in a dialog. */
const INLINE_WIDTH = 120

/** Edits a cell in place if its type fits, else in a dialog. */
export function CellEditor({ cell, field, onSave }: CellEditorProps) {
  const { row, column, onRowChange, onClose } = cell
  const value = ownMember(row.object, column.key)
  const change = (next: unknown) =>
    onRowChange({ ...row, object: { ...row.object!, [column.key]: next } as NonNullable<GridRow['object']> })
  const isShort = typeof value !== 'string' || (value.length <= INLINE_WIDTH && !value.includes('\n'))
  if (field.type === 'String' && isShort)
    return <InputCell label={column.key} type="text" initial={value} read={textIn} onChange={change} />
  if (field.type === 'Number')
    return <InputCell label={column.key} type="text" initial={value} read={numberIn} onChange={change} />
  if (field.type === 'Date')
    return (
      <InputCell
        label={column.key}
        type="datetime-local"
        initial={isDate(value) ? toLocalInput(value.iso) : ''}
        read={readLocalInput}
        onChange={change}
      />
    )
  if (field.type === 'Boolean')
    return <BooleanCell label={column.key} value={value} onSave={onSave} onClose={() => onClose(false, true)} />
  return (
    <ValueDialog name={column.key} field={field} value={value} onSave={onSave} onClose={() => onClose(false, true)} />
  )
}

const textIn = ({ value }: HTMLInputElement) => value

/** Reads a number cell; an empty one means that the object lacks the field. */
const numberIn = ({ value }: HTMLInputElement) => (value.trim() === '' ? undefined : parseNumber(value))

interface InputCellProps {
  readonly label: string
  readonly type: 'text' | 'datetime-local'
  readonly initial: unknown
  /** @returns `Unparsed` for an invalid value */
  read(input: HTMLInputElement): unknown
  onChange(value: unknown): void
}

/**
 * The grid saves input on Enter, Tab and outside clicks, and discards it on Escape. An invalid value is marked while it is
 * typed, and then rejected by the grid.
 */
function InputCell({ label, type, initial, read, onChange }: InputCellProps) {
  const text = useEntryText()
  const [fault, setFault] = useState<string | null>(null)
  const change = ({ currentTarget }: SyntheticEvent<HTMLInputElement>) => {
    const value = read(currentTarget)
    setFault(value instanceof Unparsed ? text(value) : null)
    onChange(value)
  }
  return (
    <input
      className="data-input"
      aria-label={label}
      aria-invalid={fault !== null}
      title={fault ?? undefined}
      type={type}
      step={type === 'datetime-local' ? 0.001 : undefined}
      defaultValue={typeof initial === 'number' || typeof initial === 'string' ? initial : ''}
      ref={focusAndSelect}
      onChange={change}
      // Changing part of an incomplete time fires no event of the input.
      onKeyUp={(event) => fault !== null && change(event)}
    />
  )
}

/** Focuses and selects the input. Defined once: a new function on each key press would select the typed text. */
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
