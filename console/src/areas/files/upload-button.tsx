import { UploadOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { type ReactNode, useRef } from 'react'
import { useTranslation } from 'react-i18next'

interface UploadButtonProps {
  readonly icon?: ReactNode
  onFiles(files: File[]): void
}

/** Opens the file picker. */
export function UploadButton({ icon = <UploadOutlined />, onFiles }: UploadButtonProps) {
  const { t } = useTranslation('files')
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button type="primary" icon={icon} onClick={() => input.current?.click()}>
        {t('upload')}
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t('upload')}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])])
          target.value = ''
        }}
      />
    </>
  )
}
