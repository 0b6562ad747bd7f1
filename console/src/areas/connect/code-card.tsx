import { CheckOutlined, CopyOutlined } from '@ant-design/icons'
import { Button, Flex, Typography, theme } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { clipboardText, copyText } from '../../parts/clipboard-text.ts'
import type { Snippet } from './snippets/snippet.ts'

/** Code with a copy button. */
export function CodeCard({ snippet: { label, code } }: { readonly snippet: Snippet }) {
  const { t } = useTranslation('connect')
  const { token } = theme.useToken()
  const [isCopied, setIsCopied] = useState(false)
  const copy = async () => {
    await copyText(clipboardText(code))
    setIsCopied(true)
    setTimeout(() => setIsCopied(false), 2000)
  }
  return (
    <section
      style={{ border: `1px solid ${token.colorBorderSecondary}`, borderRadius: token.borderRadiusLG, minWidth: 0 }}
    >
      <Flex
        align="center"
        justify="space-between"
        style={{ padding: '4px 8px 4px 16px', borderBottom: `1px solid ${token.colorBorderSecondary}` }}
      >
        <Typography.Text strong translate="no">
          {label}
        </Typography.Text>
        <Button
          type="text"
          size="small"
          icon={isCopied ? <CheckOutlined /> : <CopyOutlined />}
          onClick={() => void copy()}
          aria-label={t('copyOf', { label: label ?? '' })}
        >
          {isCopied ? t('copied') : t('copy')}
        </Button>
      </Flex>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        translate="no"
        style={{
          margin: 0,
          padding: 16,
          overflow: 'auto',
          fontFamily: token.fontFamilyCode,
          fontSize: 13,
          background: token.colorFillQuaternary,
        }}
      >
        {code}
      </pre>
    </section>
  )
}
