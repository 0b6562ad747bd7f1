import { Typography } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { JsonEditor } from '../../../parts/json-editor.tsx'
import type { Json } from '../draft.ts'

interface JsonControlProps {
  readonly label: string
  readonly value: Json | undefined
  readonly isDisabled: boolean
  onChange(value: Json): void
}

/** A setting that is any JSON. What is no JSON yet is not taken over. */
export function JsonControl({ label, value, isDisabled, onChange }: JsonControlProps) {
  const { t } = useTranslation('settings')
  const [typed, setTyped] = useState<string | null>(null)
  const [isWrong, setIsWrong] = useState(false)
  const change = (text: string) => {
    setTyped(text)
    try {
      onChange(JSON.parse(text) as Json)
      setIsWrong(false)
    } catch {
      setIsWrong(true)
    }
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
      {isWrong && <Typography.Text type="danger">{t('noJson')}</Typography.Text>}
    </>
  )
}
