import { EyeInvisibleOutlined, EyeOutlined } from '@ant-design/icons'
import { Button, Flex, Typography } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { clipboardLine } from '../../parts/clipboard-text.ts'

interface ShownKeyProps {
  /** The label of the key. */
  readonly name: string
  readonly value: string
  /** Shown only on request; can be copied without being shown. */
  readonly isSecret?: boolean
}

const MASK = '•'.repeat(24)

/** An id or a key that can be copied. */
export function ShownKey({ name, value, isSecret = false }: ShownKeyProps) {
  const { t } = useTranslation('apps')
  const [isRevealed, setIsRevealed] = useState(false)
  const isShown = !isSecret || isRevealed
  return (
    <Flex align="center" gap={4} style={{ minWidth: 0 }}>
      <Typography.Text
        code
        translate="no"
        style={{ overflowWrap: 'anywhere' }}
        copyable={{ text: clipboardLine(value), tooltips: [t('keys.copy', { name }), t('keys.copied')] }}
      >
        {isShown ? value : MASK}
      </Typography.Text>
      {isSecret && (
        <Button
          type="text"
          size="small"
          icon={isRevealed ? <EyeInvisibleOutlined /> : <EyeOutlined />}
          aria-label={t(isRevealed ? 'keys.hide' : 'keys.reveal', { name })}
          aria-pressed={isRevealed}
          onClick={() => setIsRevealed(!isRevealed)}
        />
      )}
    </Flex>
  )
}
