import { Typography } from 'antd'
import { Unparsed } from './parse-entry.ts'
import { useEntryText } from './use-entry-text.ts'

interface EntryFaultProps {
  /** Of the element, which the input names in `aria-describedby`. */
  readonly id?: string
  readonly value: unknown
}

/** Says below an input what form is right, while what was entered has another one. */
export function EntryFault({ id, value }: EntryFaultProps) {
  const text = useEntryText()
  if (!(value instanceof Unparsed)) return null
  return (
    <Typography.Text id={id} type="danger" role="alert" style={{ display: 'block', fontSize: 13 }}>
      {text(value)}
    </Typography.Text>
  )
}
