import { Flex, Typography, theme } from 'antd'
import { type DragEvent, type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'

interface DropZoneProps {
  readonly disabled: boolean
  readonly children: ReactNode
  onFiles(files: File[]): void
}

/** Accepts files dropped onto its content. For keyboards there is a button beside it. */
export function DropZone({ disabled, children, onFiles }: DropZoneProps) {
  const { t } = useTranslation('files')
  const { token } = theme.useToken()
  const [isOver, setIsOver] = useState(false)
  if (disabled) return children
  const take = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    onFiles([...event.dataTransfer.files])
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the same is done with a button
    <div
      data-testid="drop-zone"
      style={{ position: 'relative', flex: 1, minHeight: 240 }}
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setIsOver(false)
      }}
      onDrop={take}
    >
      {children}
      {isOver && (
        <Flex
          align="center"
          justify="center"
          style={{
            position: 'absolute',
            inset: 0,
            border: `2px dashed ${token.colorPrimary}`,
            borderRadius: token.borderRadiusLG,
            background: token.colorBgElevated,
            opacity: 0.95,
          }}
        >
          <Typography.Title level={4}>{t('drop')}</Typography.Title>
        </Flex>
      )}
    </div>
  )
}
