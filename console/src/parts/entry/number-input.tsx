import { Input } from 'antd'
import { type CSSProperties, type KeyboardEvent, useId, useState } from 'react'
import { EntryFault } from './entry-fault.tsx'
import { type NumberRange, parseNumber, Unparsed } from './parse-entry.ts'

export interface NumberInputProps extends NumberRange {
  readonly id?: string
  readonly 'aria-label'?: string
  readonly placeholder?: string
  readonly size?: 'small' | 'middle'
  readonly status?: 'error' | 'warning' | ''
  readonly disabled?: boolean
  readonly readOnly?: boolean
  readonly style?: CSSProperties
  /** `Unparsed`, null and undefined: empty */
  readonly value?: unknown
  /** @param entered undefined: empty; `Unparsed`: invalid text, which stays as typed */
  onChange?(entered: number | undefined | Unparsed): void
}

interface Typed {
  readonly text: string
  readonly entered: number | undefined | Unparsed
  /** The value before the text was typed. */
  readonly before: unknown
}

/** Edits a number. Invalid text is neither dropped nor changed: the valid form is shown below it. */
export function NumberInput({ value, onChange, min, max, isInteger, style, status = '', ...rest }: NumberInputProps) {
  const [typed, setTyped] = useState<Typed | null>(null)
  const faultId = useId()
  const isTyped = typed !== null && isCurrent(typed, value)
  const text = isTyped ? typed.text : typeof value === 'number' ? String(value) : ''
  const entered = isTyped ? typed.entered : value
  const fault = entered instanceof Unparsed ? entered : null
  const type = (next: string) => {
    const read = next.trim() === '' ? undefined : parseNumber(next, { min, max, isInteger })
    setTyped({ text: next, entered: read, before: isTyped ? typed.before : value })
    onChange?.(read)
  }
  const step = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0
    if (by === 0 || rest.readOnly || rest.disabled || fault) return
    event.preventDefault()
    const next = (typeof entered === 'number' ? entered : 0) + by
    if (!(parseNumber(String(next), { min, max }) instanceof Unparsed)) type(String(next))
  }
  return (
    <div style={{ display: 'inline-block', verticalAlign: 'top', ...style }}>
      <Input
        {...rest}
        role="spinbutton"
        // Numeric keyboards of phones can lack the minus sign.
        inputMode={min !== undefined && min >= 0 ? 'decimal' : 'text'}
        autoComplete="off"
        status={fault ? 'error' : status}
        aria-invalid={fault !== null}
        aria-describedby={fault ? faultId : undefined}
        aria-valuenow={typeof entered === 'number' ? entered : undefined}
        aria-valuemin={min}
        aria-valuemax={max}
        value={text}
        onChange={(event) => type(event.target.value)}
        onKeyDown={step}
      />
      <EntryFault id={faultId} value={fault} />
    </div>
  )
}

/** Returns whether the value still belongs to the typed text; another one, as after a reset, replaces the text. */
function isCurrent({ entered, before }: Typed, value: unknown): boolean {
  if (entered instanceof Unparsed) return value instanceof Unparsed || (value ?? null) === (before ?? null)
  return (value ?? null) === (entered ?? null)
}
