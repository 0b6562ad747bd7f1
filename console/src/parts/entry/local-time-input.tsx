import { Input } from 'antd'
import { type CSSProperties, type SyntheticEvent, useId, useState } from 'react'
import { EntryFault } from './entry-fault.tsx'
import { toLocalInput } from './local-time.ts'
import { parseLocalTime, type TimeValue, Unparsed } from './parse-entry.ts'

export interface LocalTimeInputProps {
  readonly id?: string
  readonly 'aria-label'?: string
  readonly style?: CSSProperties
  /** ISO; `Unparsed`, null and undefined: empty */
  readonly value?: unknown
  /** @param entered undefined: empty; `Unparsed`: incomplete, or missing in the browser's time zone */
  onChange?(entered: TimeValue | undefined | Unparsed): void
}

/** Edits a time in the browser's time zone. An incomplete one is not empty: it is reported below the input. */
export function LocalTimeInput({ value, onChange, style, ...rest }: LocalTimeInputProps) {
  const faultId = useId()
  const [typed, setTyped] = useState('')
  const isWrong = value instanceof Unparsed
  const read = (event: SyntheticEvent<HTMLInputElement>) => {
    const entered = readLocalInput(event.currentTarget)
    setTyped(event.currentTarget.value)
    const isSame = entered instanceof Unparsed ? isWrong : entered?.iso === value
    if (!isSame) onChange?.(entered)
  }
  return (
    <div style={style}>
      <Input
        {...rest}
        type="datetime-local"
        step={0.001}
        status={isWrong ? 'error' : ''}
        aria-invalid={isWrong}
        aria-describedby={isWrong ? faultId : undefined}
        value={isWrong ? typed : typeof value === 'string' ? toLocalInput(value) : ''}
        onChange={read}
        // Changing part of an incomplete time fires no event of the input.
        onKeyUp={read}
      />
      <EntryFault id={faultId} value={value} />
    </div>
  )
}

/** Reads `<input type="datetime-local">`, whose value is also empty while incomplete. */
export function readLocalInput({ value, validity }: HTMLInputElement): TimeValue | undefined | Unparsed {
  if (value === '') return validity.badInput ? new Unparsed('time') : undefined
  return parseLocalTime(value)
}
