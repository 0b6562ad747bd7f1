import { Typography } from 'antd'
import { Unparsed } from './parse-entry.ts'
import { useEntryText } from './use-entry-text.ts'

interface EntryFaultProps {
  /** The id of the element, referenced by `aria-describedby` of the input. */
  readonly id?: string
  readonly value: unknown
}

/** Shows the valid form below an input while its value is invalid. */
export function EntryFault({ id, value }: EntryFaultProps) {
  const text = useEntryText()
  if (!(value instanceof Unparsed)) return null
  return (
    <Typography.Text id={id} type="danger" role="alert" style={{ display: 'block', fontSize: 13 }}>
      {text(value)}
    </Typography.Text>
  )
}
