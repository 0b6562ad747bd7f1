import { Button, Input, Space } from 'antd'
import { useState } from 'react'

interface AddClientProps {
  /** The label of the field. */
  readonly label: string
  readonly action: string
  readonly isPending: boolean
  /** @returns when it is done; the field is then cleared */
  onAdd(clientId: string): Promise<unknown>
}

/** A field for a client id with an action. */
export function AddClient({ label, action, isPending, onAdd }: AddClientProps) {
  const [typed, setTyped] = useState('')
  const clientId = typed.trim()
  const add = () => {
    if (clientId === '') return
    onAdd(clientId).then(
      () => setTyped(''),
      // The error is shown by the caller; the typed text stays.
      () => {},
    )
  }
  return (
    <Space.Compact style={{ width: 360, maxWidth: '100%' }}>
      <Input
        aria-label={label}
        placeholder={label}
        maxLength={64}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onPressEnter={add}
      />
      <Button loading={isPending} disabled={clientId === ''} onClick={add}>
        {action}
      </Button>
    </Space.Compact>
  )
}
