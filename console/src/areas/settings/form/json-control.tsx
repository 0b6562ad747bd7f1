import { useState } from 'react'
import { EntryFault } from '../../../parts/entry/entry-fault.tsx'
import { parseJson, Unparsed } from '../../../parts/entry/parse-entry.ts'
import { JsonEditor } from '../../../parts/json-editor.tsx'
import type { Json } from '../draft.ts'

interface JsonControlProps {
  readonly label: string
  readonly value: Json | undefined
  readonly isDisabled: boolean
  onChange(value: Json): void
  onUnparsed(): void
}

/** A setting of any JSON. Invalid JSON is reported below it. */
export function JsonControl({ label, value, isDisabled, onChange, onUnparsed }: JsonControlProps) {
  const [typed, setTyped] = useState<string | null>(null)
  const read = typed === null ? undefined : parseJson(typed)
  const change = (text: string) => {
    setTyped(text)
    const next = parseJson(text)
    if (next instanceof Unparsed) onUnparsed()
    else onChange(next as Json)
  }
  return (
    <>
      <JsonEditor
        label={label}
        height="120px"
        readOnly={isDisabled}
        value={typed ?? JSON.stringify(value ?? {}, null, 2)}
        onChange={change}
      />
      <EntryFault value={read} />
    </>
  )
}
